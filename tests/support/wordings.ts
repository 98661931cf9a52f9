/** Other words for a documented error than its row has, and sentences beside it that mean something else. */
export interface Wordings {
  /** The name of its class. */
  readonly error: string;
  /** The endpoints that use these words; by default, all that document the error. */
  readonly of?: readonly string[];
  /** The words of integrators, and paraphrases: each has the class. */
  readonly is: readonly string[];
  /** Neighbours: each has the class of its status. */
  readonly isNot: readonly string[];
}

const table = String.raw`
ExceptedCaseError
  is: O pack pertence a um caso de exceção | blocked_by_excepted_case
  is: This pack belongs to an excepted case, it is requested to use the messaging resource.
  not: A exceção foi registrada | The pack is in an exceptional state | The case is closed
ConversationBlockedError
  is: The conversation ID is invalid | A conversa está bloqueada | O pacote está com a conversa bloqueada
  is: This package has the conversation blocked, please check blocked messages
  is: This package has the conversation blocked | The conversation of this pack has been blocked
  is: conversation_blocked | blocked_by_cancelled_order | bloqued_by_mediation | pack with blocked messages
  not: The conversation is invalid | O usuário está bloqueado | The conversation is not blocked | The user is blocked
  not: The conversation is unblocked | Requests are blocked by the firewall
PackAccessError
  is: O usuário não pode acessar as informações do pack
  is: You are not allowed to access the information of the pack 2000000000000012 | not allowed to access the pack
  is: Access denied for user 7 to order 2000000000000012 | User access token invalid for resource 2000000000000012
  is: The user is not authorized for the order | The user doesn't have access to this pack
  is: The user cannot access the order | The user has no write_access
  not: Não foi possível acessar o serviço | Links are not allowed | Not allowed messages from multiple orders
  not: You are not allowed to use this template | The application is not authorized | unauthorized_scopes
  not: Access Denied | You don't have permission to access this server | Not for accessories
  not: <html><body>The user has no access to the order</body></html> | In the casino access is suspended
AccessTokenRequiredError
  is: access_token is missing | Missing access token | The access token was not sent
  not: The access token is malformed | The access token required another scope
ApplicationIdRequiredError
  is: application_id is missing | The access token has no application id
  not: The application is disabled | The application id is too long
InvalidTextError
  is: O texto é inválido | Invalid text | The text is not valid | The text is too long
  is: The text exceeds 350 characters
  not: O formato é inválido | The context is invalid | The body is invalid | Order 350 invalid | Text is required
InvalidTemplateError
  is: O template TEMPLATE___OTHER___9 é inválido | The template TEMPLATE___REQUEST_VARIANTS___1 is invalid
  is: Invalid template | template_id is not valid | The template does not exist
  not: O formato do template mudou | A variable of the template TEMPLATE___DELIVERY_PROMISE___1 is invalid
  not: The vars of the template are invalid
  not: The promise of delivery of the shipping contained in the pack is from a date before today
CapExhaustedError
  is: O usuário não pode executar a opção OTHER novamente | You are not allowed to execute the option OTHER again
  is: You are not allowed to execute the option OTHER again. | not allowed to run option OTHER again
  is: The user is not allowed to use the option SEND_INVOICE_LINK again | The option OTHER cannot be used again
  is: The cap of the option is exhausted | limit_exceeded
  not: Tente executar novamente | The seller is not allowed to sell again | rate_limit_exceeded
  not: The capacity is exceeded | Try again
OptionNotOfferedError
  is: A opção selecionada não é válida | The selected option is invalid | Invalid option | option_id is invalid
  is: The option RETURN_LABEL does not exist
  not: A rota não é válida | Pack not found | Order do not exists | The adoption is not valid
ActionGuideLockedError
  is: Outra solicitação está bloqueando esta operação | There is another request locking this operation
  is: The operation is locked
  not: The pack has changed | A message with this id exists | The conversation is blocked by time
InvalidPagingError
  is: The limit param must be greater than 0 | Invalid offset param | Invalid limit param
  is: Invalid offset or limit param | The offset exceeds the maximum
  not: The rate limit is exceeded | The time limit is over | tag is required | The limits of the seller
MessageNotFoundError
  is: The specified message id does not exists
  is: The specified message id: 0c1ad0b9a9de4b1f8d4a4a1b0d9f1e55 does not exists | Messages id empty or invalid
  is: Invalid message_id | Message not found | The message id does not exist
  not: User not found | The site does not exist | Invalid client id | The id of the site is invalid | tag is required
  not: Invalid idempotency key
MessageAccessError
  is: Access denied for user 30265782 to message with id 006b9b2df38f452b80402041ae86f6d4
  is: User access token invalid for resource 006b9b2df38f452b80402041ae86f6d4
  not: unauthorized_scopes | The application is blocked | <html>Forbidden</html>
MessageNotReadyError
  is: The message with id: a could not be retrieved from storage
  not: The path does not exist | resource not found | <html>Not Found</html>
UnsupportedCharactersError
  is: The text has character/s that is/are not supported. | The text has invalid characters
  is: The text contains characters that are not allowed | Unsupported characters
  not: The item has unsupported characteristics | The file name contains invalid characters
TextTooLongError
  is: The message content is too long, max characters allowed are 350 | The text exceeds the limit | text_too_long
  is: The message is too long | text_length exceeds the limit
  not: Order 350 invalid | The original_filename exceeded 200 character limit | The context is too long
  not: Text is required | The context exceeds the quota
TooManyAttachmentsError
  is: The message exceeds the allowed number of attachments: 25 | Message exceeds allowed number of attachments: 25
  is: Too many attachments | attachments over the max_limit | more than 25 attachments on a message
  not: Attachments are disabled | The attachment 25 was virus scanned
MediationInProcessError
  is: You can not send the message because a mediation is in process | The order has an open mediation | in_mediation
  not: A remediation is pending | The mediation service failed | The mediation has ended
NotYetDeliveredError
  is: You can not send the message because the purchase is Mercado Envíos Full and has not been yet delivered
  is: You can not send the message because the purchase is in fulfillment and has not been delivered yet
  is: purchase is Mercado Envíos Full and has not been yet delivered | The package was not delivered yet
  not: The fulfilment centre is closed | The message was not delivered | The package has been delivered
ReceiverNotInOrderError
  is: Receiver does not belong to order 2000000000000012 | The receiver doesn't belong to the order
  is: The recipient is not part of the order | The received does not belong to the order
  not: The receiver is blocked | The pack does not belong to this site | The token does not belong to the site
SenderIsReceiverError
  is: Sender and received must not be equals | Sender and receiver must not be equal
  is: 'from' and 'to' must be different
  not: The sender has changed | The prices differ from those of today
InvalidReceiverError
  is: The field 'to.user_id' is required | Invalid 'to' user id | The field 'to.email' must be a secure email
  is: to.email not a secure email (user id 0) | The field 'to.resource' is required | Invalid field 'to.resource'
  is: The field 'to.site_id' is required | The field 'to.site_id' has an invalid value | The field 'to' is required
  not: It failed to resource the call | A token to user 7 is invalid | Text is required
  not: The buyer profile is not valid
SenderMissingError
  is: The field 'from' is required | Missing field 'from'
  not: The header is missing from the request | A token from the seller is required | from must be a number
MessageBodyMissingError
  is: A JSON body is required | The request body is empty
  not: The body contains a link | The body of the message is not acceptable | The body is too large
  not: Somebody is missing
AttachmentNotFoundError
  is: Attachment key is invalid or not found | The attachment file-1.pdf was not found | Attachments expired
  is: file_not_found | The file does not exist | Invalid attachment
  not: Invalid file descriptor in the service
  not: The attachments must be delimited | The type of the file is invalid | Not found in the profile service
EmptyFileError
  is: File attached is empty | Attachment empty or null
  not: The header is empty | The file name is empty
InvalidFileNameError
  is: File name cannot include characters like /, \ | File name cannot include characters such as: /, \
  is: invalid_file_name
  not: The original_filename exceeded 200 character limit | The profile name is wrong | The file name is missing
FileTooLargeError
  is: File attachment is bigger than 25 Mb. | File size exceeds 25 Mb | The attachment is too large
  is: The file exceeds the maximum size
  not: The quota is exceeded | The original_filename exceeded 200 character limit | The number is too large
SiteMissingError
  not: A missing site map
  is: The queryparam 'site_id' is required | Missing site_id | site_id is missing
  not: Invalid site_id: 'XYZ' is not a recognized site | The website_id is missing | tag is required
  not: The website_id is wrong
FileStorageError
  is: File can not be saved, try it later | Requested file could not be obtained
  is: File can not be accessed, try it later | The file was not saved
  not: The profile could not be read | Internal server error | It could not be saved | The profile service failed
InvalidSiteError
  is: The site_id is not valid | Invalid site_id: 'XYZ' is not a recognized site
  not: invalid website | The site is under maintenance | The parasite is invalid
ResourceAccessError
  is: can’t access to resource | cannot access the resource | can not access to resource | can't access to resource
  not: can't access the database | A significant access of the network failed
InvalidQueryError
  is: Cannot query field "colour" on type "Zone" | Syntax Error: Expected Name, found "}" | The query is invalid
  is: GRAPHQL_VALIDATION_FAILED
  not: invalid query parameter | invalid JSON body | JSON syntax error | The database query failed
UserNotFoundError
  is: User 7 not found | The user does not exist | user_not_found
  not: The preferences of the user were not found | Page not found | The superuser not found
SubscriptionNotFoundError
  is: subscriptions not found | subscription not found | The subscription for service 5 was not found
  is: The user has no subscription
  not: The subscription service is not reachable | Not found; see your subscription | no subscription endpoint
SubscriptionNotFoundError of flex.setDelivery flex.addZones
  is: can’t update delivery custom | cannot update delivery custom | can not update the coverage
  not: can't update now | A significant update is under way
InvalidUserIdError
  is: user_id must be an integer | invalid user_id
  not: invalid user | invalid JSON body
InvalidServiceIdError
  is: Invalid Service_id. | service_id must be an integer | invalid service_id
  not: invalid service | invalid JSON body
AlreadyInFlexError
  is: The item is already in Flex | Flex is already enabled for the item
  not: The item is already in flexible shipping | A change is already under way | The item is already paused
NotInFlexError
  is: item is not in flex | The item is no longer in Flex | Flex is already disabled for the item
  not: A change of the item is already under way | The item is already closed | The token was already used
  not: The item is not in flexible shipping
ItemDownError
  is: item_down | The item is down | Item MLA100 is down
  not: The item has no download | The item was slowed down | The service is down
ItemNotFoundError
  is: item_not_found | Item MLA100 not found | The item does not exist
  not: The page of the item was not found | The items service is not found | Not found
DriverNotFoundError
  is: shipment not found | Shipment 40000000001 not found | No driver is assigned
  not: The path of the shipment was not found | Page not found | The printer driver is missing
InvalidQuestionError
  is: invalid_question | Invalid question | question_id must be an integer
  not: The question is empty | invalid question text
InvalidPostBodyError
  is: invalid_post_body | invalid JSON
  not: The body contains a link | text_is_null
QuestionNotOpenError
  is: not_unanswered_question | Question 42 is not unanswered | Question 42 must be unanswered
  is: Question 2744117833 is already answered.
  not: The seller has already answered 2,000 questions | A request is already under way
ItemNotActiveError
  is: not_active_item | item must be active | Item MLA100 is inactive
  not: The user is not active | The item has no stock
AskLimitError
  is: user_ask_limit | Too many questions
  not: Too many characters | The user may not ask this seller
NoQuestionsError
  not: User not found | The path does not exist
`;

/** Reads the table: a class, and below it what `is` that error, and what is `not`, separated by `|`. */
export const wordings: readonly Wordings[] = table
  .trim()
  .split(/\n(?=\S)/)
  .map((entry) => {
    const [head = '', ...lines] = entry.split('\n');
    const [error = '', of] = head.split(' of ');
    const wordsOf = (kind: string): string[] =>
      lines
        .filter((line) => line.startsWith(`  ${kind}: `))
        .flatMap((line) => line.slice(`  ${kind}: `.length).split(' | '));
    return { error, ...(of && { of: of.split(' ') }), is: wordsOf('is'), isNot: wordsOf('not') };
  });
