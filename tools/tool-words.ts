// Words for language models, where those of the methods speak to programmers. `tools/tool-descriptions.ts` writes them to
// `src/tools/descriptions.json`; `tests/words-of-tools.test.ts` names what still speaks to a programmer.

/** The words of an operation: what it does, what comes back, what it changes, and which tools are next. */
export const operationWords: Readonly<Record<string, string>> = {
  describe: 'Returns what the service says of a path of its API, such as its methods.',
  'actionGuide.options':
    'Returns the options for a first message to the buyer of a pack, with their templates. Send one with actionGuide_send.',
  'actionGuide.caps':
    'Returns how many messages each option can still send in a pack. With 0 the buyer has to reply first.',
  'actionGuide.send':
    'Sends the first message of a sale to the buyer, through an option of actionGuide_options: REQUEST_VARIANTS and ' +
    'REQUEST_BILLING_INFO take `template_id`, DELIVERY_PROMISE also `vars`, OTHER and SEND_INVOICE_LINK take `text`. Returns the ' +
    'message; the buyer does not get it if its `status` is moderated. When the buyer has written, use messages_send.',
  'messages.conversation':
    'Reads messages of a pack, the newest first, and whether it is open (`conversation_status`). Marks them as read only with ' +
    '`mark_as_read: true`. Reply with messages_send; read a file with messages_download.',
  'messages.get': 'Reads one message. Does not mark it as read.',
  'messages.unread':
    'Lists the conversations with unread messages, at most 500, and marks nothing as read. Read one with ' +
    'messages_conversation. A `count` may never become 0.',
  'messages.download': 'Reads a file of a message. Returns its text if it is one, otherwise its name, type and size.',
  'messages.send':
    'Sends a message to the buyer of a pack who has written before; the first message goes through actionGuide_send. ' +
    'messages_conversation shows who the receiver is. Returns the message; the buyer does not get it if its `status` is ' +
    'moderated.',
  'messages.upload':
    'Stores a file of at most 25 MB for a message. Give the returned `id` in `attachments` of messages_send within 48 hours.',
  'questions.search':
    'Finds questions and returns `total` and a page of them. Takes one of `seller_id`, `item` and `item_id`. Answer one with ' +
    'questions_answer.',
  'questions.get': 'Reads one question, with its answer.',
  'questions.responseTime': 'Returns how long a seller took to answer in the last 14 days, in minutes.',
  'questions.ask': 'Asks a question about an item, as a buyer. Returns the question.',
  'questions.answer': 'Answers a question, in public and once: an answer cannot be changed. Returns the question.',
  'questions.delete': 'Deletes a question that the seller received, for good.',
  'questions.hide': 'Hides a received question from the listing.',
  'questions.blacklist.list': 'Lists the users who are blocked from asking the seller.',
  'questions.blacklist.remove': 'Allows a blocked user to ask the seller again.',
  'flex.subscriptions': "Returns the seller's Flex subscriptions. Other flex tools take the `service_id` of one.",
  'flex.configuration':
    'Returns how the seller delivers, as far as the GraphQL query names it, such as zones { id label enabled } and ' +
    'delivery_ranges { week { from to capacity cutoff } }.',
  'flex.setDelivery':
    'Sets the delivery window, the ranges, or both. Send all ranges: those left out may be switched off. Read them with ' +
    'flex_configuration first.',
  'flex.addZones':
    'Sets the zones to cover. Send all of them: those left out may be removed. Read them with flex_configuration first.',
  'flexV2.subscriptions': "Returns the seller's Flex subscriptions. Other flexV2 tools take the `service_id` of one.",
  'flexV2.zones': 'Returns the zones to which a subscription delivers.',
  'flexV2.setZones':
    'Sets the zones to cover. Send all of them: those left out are removed. Read them with flexV2_zones first.',
  'flexV2.radius': 'Returns the radius in which a Turbo subscription delivers, in metres.',
  'flexV2.setRadius': 'Sets the radius in which a Turbo subscription delivers, in metres.',
  'flexV2.deliveryRanges': 'Returns the delivery window and the ranges of a subscription.',
  'flexV2.setDeliveryRanges':
    'Sets the delivery window and the ranges. Send all ranges: those left out are switched off. Read them with ' +
    'flexV2_deliveryRanges first.',
  'flexV2.holidays': 'Returns the holidays of the site and which are selected.',
  'flexV2.setHolidays': 'Selects holidays. Send the whole list of flexV2_holidays.',
  'flexV2.items.enable': 'Puts an item into Flex. It changes the shipping of some items for good.',
  'flexV2.items.disable': 'Takes an item out of Flex.',
  'flexV2.assignCourier': 'Assigns a shipment to a courier, with the token of the courier.',
  'flex.items.isEnabled': 'Returns whether an item is enabled for Flex; false also for an unknown item.',
  'flex.items.enable': 'Enables an item for Flex. The item must be active: see items_status.',
  'contacts.questions.ofItem': 'Returns how many guest questions an item had.',
  'contacts.questions.ofUser': 'Returns how many guest questions all items of a seller had.',
  'contacts.questions.windowOfItem': 'Returns how many guest questions an item had, per day or per hour.',
  'contacts.phoneViews.ofItem': 'Returns how many clicks on "See phone" an item had.',
  'contacts.phoneViews.ofUser': 'Returns how many clicks on "See phone" all items of a seller had.',
  'items.status': 'Returns the status of items. An item that cannot be read has a `code` and a `message` instead.',
  'sites.search': 'Finds items for sale on a site and returns a page of them. Needs `q` or `filters`.',
};

/** The words of fields, by operation and path, or only by their name. */
export const fieldWords: Readonly<Record<string, string>> = {
  application_id: 'Application, in the query.',
  attachment_id: 'The `id` of messages_upload, or the `filename` of an attachment.',
  attachments: 'Ids of messages_upload, at most 25.',
  client_id: 'Application, in a header.',
  contentType: 'Media type; default: by the name.',
  'currencies.get.id': 'E.g. BRL.',
  'describe.path': 'E.g. /currencies/BRL.',
  date_from: 'ISO 8601.',
  date_to: 'ISO 8601.',
  'delivery_ranges.saturday': 'Saturday.',
  'delivery_ranges.sunday': 'Sunday.',
  'delivery_ranges.week': 'Monday to Friday.',
  ...Object.fromEntries(
    ['week', 'saturday', 'sunday'].flatMap((day) => [
      [`delivery_ranges.${day}.*`, ''],
      [`delivery_ranges.${day}.*.from`, 'First hour.'],
      [`delivery_ranges.${day}.*.to`, 'Last hour.'],
      [`delivery_ranges.${day}.*.capacity`, 'Most deliveries.'],
      [`delivery_ranges.${day}.*.cutoff`, 'Orders until.'],
    ]),
  ),
  delivery_ranges: 'Ranges by kind of day.',
  delivery_window: 'Window:',
  ending: 'ISO 8601; default: now.',
  file: 'Content in base64.',
  filename: 'Name without folders.',
  'flex.configuration.query': 'E.g. { configuration(user_id: 7, service_id: 1001) { working_days } }',
  from: 'Default: `user_id`.',
  'from.user_id': 'The seller.',
  ids: 'Items.',
  last: 'Intervals.',
  limit: 'Page size.',
  mark_as_read: 'Default: false. The buyer can see it.',
  offset: 'How many to skip.',
  option_id: 'The reason:',
  order: 'By date.',
  pack_id: "The order's pack_id, else its id.",
  'questions.search.filters.status': 'E.g. UNANSWERED or ANSWERED.',
  'questions.search.filters': 'Parameters.',
  'questions.search.from': 'Only of this user; needs an item.',
  'questions.search.item': 'About this item.',
  'questions.search.item_id': 'The same as `item`.',
  'questions.search.seller_id': 'To this seller.',
  'questions.search.sort_fields': 'Fields to sort by.',
  'questions.search.sort_types': 'One per sort field.',
  courier_id: 'The courier.',
  radius: 'Metres.',
  show_availables: 'Also what can be chosen.',
  'holidays.*': '',
  'holidays.*.date': 'As YYYY-MM-DD.',
  'holidays.*.description': 'Its name.',
  'holidays.*.selected': 'Selected.',
  holidays: 'All holidays.',
  'flexV2.setZones.zones.*': '',
  'zones.*.cutoff': 'Orders until, by kind of day.',
  'zones.*.cutoff.week': 'Monday to Friday.',
  'zones.*.cutoff.saturday': 'Saturday.',
  'zones.*.cutoff.sunday': 'Sunday.',
  seller_id: 'The seller.',
  ...Object.fromEntries(
    ['zones', 'radius', 'deliveryRanges', 'holidays'].flatMap((name) => [
      [`flexV2.${name}.service_id`, 'Of flexV2_subscriptions.'],
      [`flexV2.set${name[0]?.toUpperCase()}${name.slice(1)}.service_id`, 'Of flexV2_subscriptions.'],
    ]),
  ),
  service_id: 'Of flex_subscriptions.',
  site_id: 'Site:',
  'sites.search.filters.category': 'Id of a category.',
  'sites.search.filters.seller_id': 'Only of this seller.',
  'sites.search.filters.sort': 'E.g. price_asc.',
  'sites.search.filters': 'Parameters.',
  template_id: 'Id of a template of the option.',
  'to.email': 'E-mail address.',
  'to.resource': 'E.g. orders.',
  'to.resource_id': 'Its id.',
  'to.site_id': 'Site:',
  'to.user_id': 'The buyer, or who is in their place.',
  to: 'The receiver.',
  'actionGuide.send.text': 'At most 350 characters.',
  unit: 'Interval.',
  user_id: 'The seller.',
  'vars.*.id': 'E.g. TEMPLATE___DELIVERY_PROMISE___1___VAR___INIT.',
  vars: 'The hours of INIT and LIMIT.',
  'questions.blacklist.add.user_id': 'The user to block.',
  'questions.blacklist.remove.user_id': 'The user to unblock.',
  'zones.*.id': 'Id of the zone.',
  zones: 'All zones to cover.',
};

/** The fields of records that models are offered; the operations also take others. */
export const namedFilters: Readonly<Record<string, readonly string[]>> = {
  'questions.search': ['status'],
  'sites.search': ['category', 'seller_id', 'sort'],
};

/** What a model does about an error, where the remedy of its class speaks to a programmer. */
export const remedyWords: Readonly<Record<string, string>> = {
  AccessTokenError: 'The access token cannot be renewed: tell the person.',
  RequestAbortedError: 'The call was cancelled. What only reads can be called again.',
  ConnectionError: 'The service cannot be reached. Call again later, or tell the person.',
  TimeoutError: 'The service took too long. Call again later.',
  GrantRevokedError: 'Tell the person: the seller has to authorise the application again.',
  UnexpectedResponseError: 'The service responds in another way than documented: tell the person.',
  ApiError: 'Tell the person what the message says.',
  UnprocessableEntityError: 'Read the reason in the message.',
  MessageNotFoundError: 'Use an id of messages_conversation.',
  AttachmentNotFoundError: 'Store the file again with messages_upload, and give the new id.',
  QuestionNotOpenError: 'Nothing: questions_get returns the existing answer.',
  BadRequestError: 'Correct what the message names; the same input fails again.',
  AuthenticationError: 'The access token is not valid: tell the person.',
  RateLimitError: 'Wait a minute before the next call.',
  ServerError: 'Call again later.',
  InvalidQueryError: 'Use only documented fields of the configuration in `query`.',
  InvalidPostBodyError: 'Tell the person: something changes the requests on their way.',
  ResourceAccessError: 'Use the ids of the seller whose tools these are.',
  ForbiddenError:
    'Use the ids of the seller whose tools these are. If it is not possible now, the message says what to wait for.',
  AccessTokenRequiredError: 'The calls have no access token: tell the person.',
  ApplicationIdRequiredError: 'The access token was not issued to an application: tell the person.',
  PackAccessError: 'Use a pack that this seller sold.',
  MessageAccessError: 'Use a message of an order of this seller.',
  MessageNotReadyError: 'Read it again in a few seconds.',
  ConversationBlockedError:
    'The conversation is closed: `reason` of the message says why. Do not write again; tell the person.',
  EmptyFileError: 'Give a file with content.',
  UnsupportedCharactersError: 'Remove these characters.',
  SenderIsReceiverError: 'Give the buyer as `to`: messages_conversation shows who it is.',
  SenderMissingError: 'Give the seller as `user_id`.',
  InvalidReceiverError: "Give as `to.user_id` who is in the buyer's place in messages_conversation.",
  ReceiverNotInOrderError: "Give as `to.user_id` who is in the buyer's place in messages_conversation.",
  MessageBodyMissingError: 'Tell the person: something changes the requests on their way.',
  NoChannelError: 'Read `reason` in the message. For cap_exhausted, the buyer has to reply first.',
};
