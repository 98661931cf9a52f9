/** The sections of the specification that list the errors, by the beginning of an endpoint's name. */
const sections: readonly (readonly [string, string])[] = [
  ['questions.blacklist', 'Endpoints, Questions blacklist'],
  ['questions.responseTime', 'Errors, Questions and response time'],
  ['questions', 'Errors, Questions and response time'],
  ['actionGuide', 'Errors, Action guide'],
  ['messages.upload', 'Errors, Attachments'],
  ['messages.download', 'Errors, Attachments'],
  ['messages.send', 'Errors, Create message'],
  ['messages.get', 'Errors, Get by id'],
  ['messages.conversation', 'Errors, Conversation listing'],
  ['flex', 'Errors, Flex'],
  ['contacts', 'Endpoints, Classified contact metrics'],
  ['items', 'Endpoints, Flex delivery'],
];

/** Returns the section of the specification that a 4xx of an endpoint follows; `null` for any other response. */
export function ruleOf(status: number, endpoint: string | null): string | null {
  if (status < 400 || status > 499) return null;
  if (status === 401) return 'Authentication';
  if (status === 429) return 'Limits, Rate limits';
  if (endpoint === null) return 'Endpoints';
  return sections.find(([start]) => endpoint.startsWith(start))?.[1] ?? 'Common conventions';
}
