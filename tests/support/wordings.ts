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

export const wordings: readonly Wordings[] = [
  {
    error: 'ExceptedCaseError',
    is: [
      'O pack pertence a um caso de exceção',
      'blocked_by_excepted_case',
      'This pack belongs to an excepted case, it is requested to use the messaging resource.',
    ],
    isNot: ['A exceção foi registrada', 'The pack is in an exceptional state', 'The case is closed'],
  },
  {
    error: 'ConversationBlockedError',
    is: [
      'The conversation ID is invalid',
      'A conversa está bloqueada',
      'O pacote está com a conversa bloqueada',
      'This package has the conversation blocked, please check blocked messages',
      'This package has the conversation blocked',
      'The conversation of this pack has been blocked',
      'conversation_blocked',
      'blocked_by_cancelled_order',
      'bloqued_by_mediation',
      'pack with blocked messages',
    ],
    isNot: [
      'The conversation is invalid',
      'O usuário está bloqueado',
      'The conversation is not blocked',
      'The user is blocked',
      'The conversation is unblocked',
      'Requests are blocked by the firewall',
    ],
  },
  {
    error: 'PackAccessError',
    is: [
      'O usuário não pode acessar as informações do pack',
      'You are not allowed to access the information of the pack 2000000000000012',
      'not allowed to access the pack',
      'Access denied for user 7 to order 2000000000000012',
      'User access token invalid for resource 2000000000000012',
      'The user is not authorized for the order',
      "The user doesn't have access to this pack",
    ],
    isNot: [
      'Não foi possível acessar o serviço',
      'Links are not allowed',
      'Not allowed messages from multiple orders',
      'You are not allowed to use this template',
      'The application is not authorized',
      'unauthorized_scopes',
      'Access Denied',
      "You don't have permission to access this server",
      'Not for accessories',
      '<html><body>The user has no access to the order</body></html>',
    ],
  },
  {
    error: 'AccessTokenRequiredError',
    is: ['access_token is missing', 'Missing access token', 'The access token was not sent'],
    isNot: ['The access token is malformed', 'The access token required another scope'],
  },
  {
    error: 'ApplicationIdRequiredError',
    is: ['application_id is missing', 'The access token has no application id'],
    isNot: ['The application is disabled', 'The application id is too long'],
  },
  {
    error: 'InvalidTextError',
    is: [
      'O texto é inválido',
      'Invalid text',
      'The text is not valid',
      'The text is too long',
      'The text exceeds 350 characters',
    ],
    isNot: [
      'O formato é inválido',
      'The context is invalid',
      'The body is invalid',
      'Order 350 invalid',
      'Text is required',
    ],
  },
  {
    error: 'InvalidTemplateError',
    is: [
      'O template TEMPLATE___OTHER___9 é inválido',
      'The template TEMPLATE___REQUEST_VARIANTS___1 is invalid',
      'Invalid template',
      'template_id is not valid',
      'The template does not exist',
    ],
    isNot: [
      'O formato do template mudou',
      'A variable of the template TEMPLATE___DELIVERY_PROMISE___1 is invalid',
      'The vars of the template are invalid',
      'The promise of delivery of the shipping contained in the pack is from a date before today',
    ],
  },
  {
    error: 'CapExhaustedError',
    is: [
      'O usuário não pode executar a opção OTHER novamente',
      'You are not allowed to execute the option OTHER again',
      'You are not allowed to execute the option OTHER again.',
      'not allowed to run option OTHER again',
      'The user is not allowed to use the option SEND_INVOICE_LINK again',
      'The option OTHER cannot be used again',
      'The cap of the option is exhausted',
      'limit_exceeded',
    ],
    isNot: [
      'Tente executar novamente',
      'The seller is not allowed to sell again',
      'rate_limit_exceeded',
      'The capacity is exceeded',
      'Try again',
    ],
  },
  {
    error: 'OptionNotOfferedError',
    is: [
      'A opção selecionada não é válida',
      'The selected option is invalid',
      'Invalid option',
      'option_id is invalid',
      'The option RETURN_LABEL does not exist',
    ],
    isNot: ['A rota não é válida', 'Pack not found', 'Order do not exists', 'The adoption is not valid'],
  },
  {
    error: 'ActionGuideLockedError',
    is: [
      'Outra solicitação está bloqueando esta operação',
      'There is another request locking this operation',
      'The operation is locked',
    ],
    isNot: ['The pack has changed', 'A message with this id exists', 'The conversation is blocked by time'],
  },
  {
    error: 'InvalidPagingError',
    is: [
      'The limit param must be greater than 0',
      'Invalid offset param',
      'Invalid limit param',
      'Invalid offset or limit param',
      'The offset exceeds the maximum',
    ],
    isNot: ['The rate limit is exceeded', 'The time limit is over', 'tag is required', 'The limits of the seller'],
  },
  {
    error: 'MessageNotFoundError',
    is: [
      'The specified message id does not exists',
      'The specified message id: 0c1ad0b9a9de4b1f8d4a4a1b0d9f1e55 does not exists',
      'Messages id empty or invalid',
      'Invalid message_id',
      'Message not found',
    ],
    isNot: [
      'User not found',
      'The site does not exist',
      'Invalid client id',
      'The id of the site is invalid',
      'tag is required',
    ],
  },
  {
    error: 'MessageAccessError',
    is: [
      'Access denied for user 30265782 to message with id 006b9b2df38f452b80402041ae86f6d4',
      'User access token invalid for resource 006b9b2df38f452b80402041ae86f6d4',
    ],
    isNot: ['unauthorized_scopes', 'The application is blocked', '<html>Forbidden</html>'],
  },
  {
    error: 'MessageNotReadyError',
    is: ['The message with id: a could not be retrieved from storage'],
    isNot: ['The path does not exist', 'resource not found', '<html>Not Found</html>'],
  },
  {
    error: 'UnsupportedCharactersError',
    is: [
      'The text has character/s that is/are not supported.',
      'The text has invalid characters',
      'The text contains characters that are not allowed',
    ],
    isNot: ['The item has unsupported characteristics', 'The file name contains invalid characters'],
  },
  {
    error: 'TextTooLongError',
    is: [
      'The message content is too long, max characters allowed are 350',
      'The text exceeds the limit',
      'text_too_long',
      'The message is too long',
    ],
    isNot: [
      'Order 350 invalid',
      'The original_filename exceeded 200 character limit',
      'The context is too long',
      'Text is required',
    ],
  },
  {
    error: 'TooManyAttachmentsError',
    is: [
      'The message exceeds the allowed number of attachments: 25',
      'Message exceeds allowed number of attachments: 25',
      'Too many attachments',
    ],
    isNot: ['Attachments are disabled', 'The attachment 25 was virus scanned'],
  },
  {
    error: 'MediationInProcessError',
    is: [
      'You can not send the message because a mediation is in process',
      'The order has an open mediation',
      'in_mediation',
    ],
    isNot: ['A remediation is pending', 'The mediation service failed', 'The mediation has ended'],
  },
  {
    error: 'NotYetDeliveredError',
    is: [
      'You can not send the message because the purchase is Mercado Envíos Full and has not been yet delivered',
      'You can not send the message because the purchase is in fulfillment and has not been delivered yet',
      'purchase is Mercado Envíos Full and has not been yet delivered',
      'The package was not delivered yet',
    ],
    isNot: ['The fulfilment centre is closed', 'The message was not delivered', 'The package has been delivered'],
  },
  {
    error: 'ReceiverNotInOrderError',
    is: [
      'Receiver does not belong to order 2000000000000012',
      "The receiver doesn't belong to the order",
      'The recipient is not part of the order',
      'The received does not belong to the order',
    ],
    isNot: [
      'The receiver is blocked',
      'The pack does not belong to this site',
      'The token does not belong to the site',
    ],
  },
  {
    error: 'SenderIsReceiverError',
    is: [
      'Sender and received must not be equals',
      'Sender and receiver must not be equal',
      "'from' and 'to' must be different",
    ],
    isNot: ['The sender has changed', 'The prices differ from those of today'],
  },
  {
    error: 'InvalidReceiverError',
    is: [
      "The field 'to.user_id' is required",
      "Invalid 'to' user id",
      "The field 'to.email' must be a secure email",
      'to.email not a secure email (user id 0)',
      "The field 'to.resource' is required",
      "Invalid field 'to.resource'",
      "The field 'to.site_id' is required",
      "The field 'to.site_id' has an invalid value",
      "The field 'to' is required",
    ],
    isNot: ['It failed to resource the call', 'A token to user 7 is invalid', 'Text is required'],
  },
  {
    error: 'SenderMissingError',
    is: ["The field 'from' is required", "Missing field 'from'"],
    isNot: ['The header is missing from the request', 'A token from the seller is required', 'from must be a number'],
  },
  {
    error: 'MessageBodyMissingError',
    is: ['A JSON body is required', 'The request body is empty'],
    isNot: [
      'The body contains a link',
      'The body of the message is not acceptable',
      'The body is too large',
      'Somebody is missing',
    ],
  },
  {
    error: 'AttachmentNotFoundError',
    is: [
      'Attachment key is invalid or not found',
      'The attachment file-1.pdf was not found',
      'Attachments expired',
      'file_not_found',
      'The file does not exist',
      'Invalid attachment',
    ],
    isNot: ['The attachments must be delimited', 'The type of the file is invalid', 'Not found in the profile service'],
  },
  {
    error: 'EmptyFileError',
    is: ['File attached is empty', 'Attachment empty or null'],
    isNot: ['The header is empty', 'The file name is empty'],
  },
  {
    error: 'InvalidFileNameError',
    is: [
      'File name cannot include characters like /, \\',
      'File name cannot include characters such as: /, \\',
      'invalid_file_name',
    ],
    isNot: [
      'The original_filename exceeded 200 character limit',
      'The profile name is wrong',
      'The file name is missing',
    ],
  },
  {
    error: 'FileTooLargeError',
    is: [
      'File attachment is bigger than 25 Mb.',
      'File size exceeds 25 Mb',
      'The attachment is too large',
      'The file exceeds the maximum size',
    ],
    isNot: ['The quota is exceeded', 'The original_filename exceeded 200 character limit', 'The number is too large'],
  },
  {
    error: 'SiteMissingError',
    is: ["The queryparam 'site_id' is required", 'Missing site_id'],
    isNot: ["Invalid site_id: 'XYZ' is not a recognized site", 'The website_id is missing', 'tag is required'],
  },
  {
    error: 'FileStorageError',
    is: [
      'File can not be saved, try it later',
      'Requested file could not be obtained',
      'File can not be accessed, try it later',
    ],
    isNot: ['The profile could not be read', 'Internal server error', 'It could not be saved'],
  },
  {
    error: 'InvalidSiteError',
    is: ['The site_id is not valid', "Invalid site_id: 'XYZ' is not a recognized site"],
    isNot: ['invalid website', 'The site is under maintenance', 'The parasite is invalid'],
  },
  {
    error: 'ResourceAccessError',
    is: ['can’t access to resource', 'cannot access the resource', 'can not access to resource'],
    isNot: ["can't access the database", 'A significant access of the network failed'],
  },
  {
    error: 'InvalidQueryError',
    is: [
      'Cannot query field "colour" on type "Zone"',
      'Syntax Error: Expected Name, found "}"',
      'The query is invalid',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    isNot: ['invalid query parameter', 'invalid JSON body', 'JSON syntax error', 'The database query failed'],
  },
  {
    error: 'UserNotFoundError',
    is: ['User 7 not found', 'The user does not exist', 'user_not_found'],
    isNot: ['The preferences of the user were not found', 'Page not found', 'The superuser not found'],
  },
  {
    error: 'SubscriptionNotFoundError',
    is: [
      'subscriptions not found',
      'subscription not found',
      'The subscription for service 5 was not found',
      'The user has no subscription',
    ],
    isNot: [
      'The subscription service is not reachable',
      'Not found; see your subscription',
      'no subscription endpoint',
    ],
  },
  {
    error: 'SubscriptionNotFoundError',
    of: ['flex.setDelivery', 'flex.addZones'],
    is: ['can’t update delivery custom', 'cannot update delivery custom', 'can not update the coverage'],
    isNot: ["can't update now", 'A significant update is under way'],
  },
  {
    error: 'InvalidUserIdError',
    is: ['user_id must be an integer'],
    isNot: ['invalid user', 'invalid JSON body'],
  },
  {
    error: 'InvalidServiceIdError',
    is: ['Invalid Service_id.', 'service_id must be an integer'],
    isNot: ['invalid service', 'invalid JSON body'],
  },
  {
    error: 'AlreadyInFlexError',
    is: ['The item is already in Flex', 'Flex is already enabled for the item'],
    isNot: ['The item is already in flexible shipping', 'A change is already under way', 'The item is already paused'],
  },
  {
    error: 'NotInFlexError',
    is: ['item is not in flex', 'The item is no longer in Flex', 'Flex is already disabled for the item'],
    isNot: [
      'A change of the item is already under way',
      'The item is already closed',
      'The token was already used',
      'The item is not in flexible shipping',
    ],
  },
  {
    error: 'ItemDownError',
    is: ['item_down', 'The item is down', 'Item MLA100 is down'],
    isNot: ['The item has no download', 'The item was slowed down', 'The service is down'],
  },
  {
    error: 'ItemNotFoundError',
    is: ['item_not_found', 'Item MLA100 not found', 'The item does not exist'],
    isNot: ['The page of the item was not found', 'The items service is not found', 'Not found'],
  },
  {
    error: 'DriverNotFoundError',
    is: ['shipment not found', 'Shipment 40000000001 not found', 'No driver is assigned'],
    isNot: ['The path of the shipment was not found', 'Page not found', 'The printer driver is missing'],
  },
  {
    error: 'InvalidQuestionError',
    is: ['invalid_question', 'Invalid question', 'question_id must be an integer'],
    isNot: ['The question is empty', 'invalid question text'],
  },
  {
    error: 'InvalidPostBodyError',
    is: ['invalid_post_body', 'invalid JSON'],
    isNot: ['The body contains a link', 'text_is_null'],
  },
  {
    error: 'QuestionNotOpenError',
    is: [
      'not_unanswered_question',
      'Question 42 is not unanswered',
      'Question 42 must be unanswered',
      'Question 2744117833 is already answered.',
    ],
    isNot: ['The seller has already answered 2,000 questions', 'A request is already under way'],
  },
  {
    error: 'ItemNotActiveError',
    is: ['not_active_item', 'item must be active', 'Item MLA100 is inactive'],
    isNot: ['The user is not active', 'The item has no stock'],
  },
  {
    error: 'AskLimitError',
    is: ['user_ask_limit', 'Too many questions'],
    isNot: ['Too many characters', 'The user may not ask this seller'],
  },
  {
    error: 'NoQuestionsError',
    is: [],
    isNot: ['User not found', 'The path does not exist'],
  },
];
