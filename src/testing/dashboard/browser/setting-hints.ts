/** A setting of the marketplace. */
export type Setting = readonly [name: string, hint: string, choices?: readonly string[]];

/** The settings that the page shows. */
export const settings: readonly Setting[] = [
  ['liveFields', 'Responses have the fields that only the live service sends'],
  ['postSaleTag', 'Which calls need tag=post_sale', ['all', 'documented']],
  ['messageShape', 'A message that is read by id', ['wrapped', 'legacy', 'current']],
  ['itemStatusShape', 'The multi-get of items', ['wrapped', 'bare']],
  ['itemOrder', 'The order of its entries', ['asked', 'any']],
  ['bulkEntries', 'Entries of /items/bulk with attributes', ['coded', 'selected']],
  ['reducedOptionResponse', 'The response to an option is reduced'],
  ['detailedAnswerErrors', 'A closed question and an inactive item have their own error codes'],
  ['capPerOption', 'Messages per option until the buyer replies'],
  ['optionLockMs', 'How long an option is locked, in milliseconds'],
  ['conversationPageSize', 'Default page of a conversation'],
  ['maxPageSize', 'Largest page of any list'],
  ['maxIds', 'Largest number of ids in one call'],
  ['maxWindowIntervals', 'Largest last of a contact window'],
  ['contactTimeZone', 'Days and hours of contact windows', ['utc', 'site']],
  ['contactsNeedToken', 'Contact metrics need a token'],
  ['missedFeedsOwner', 'The user whose token reads missed notifications; empty for any'],
  ['attachmentLifetimeMs', 'When an unused file expires, in milliseconds; empty for never'],
  ['attachmentExtensions', 'Accepted file extensions, e.g. pdf, jpg; empty for all'],
  ['accessTokenLifetimeSeconds', 'Lifetime of an access token of /oauth/token'],
  ['cors', 'Browsers at any origin may call the marketplace'],
];
