import type { Endpoint } from '../../core/operation/endpoint.js';
import { chosen } from '../random.js';
import { HandlerResponse } from './handler.js';

/** Writes whose response has a documented body, which stays. */
const documentedBodies = new Set(['messages.upload', 'questions.delete', 'actionGuide.send']);

/** Whether the success of an endpoint has several statuses: that of a write. Wire notes 8. */
export function hasOtherStatuses({ method, retry }: Endpoint): boolean {
  return method !== 'GET' && retry !== 'safe';
}

/** Returns a success with another status, with or without its body; `choice`, from 0 to 1, selects it. */
export function withOtherStatus(
  endpoint: string,
  { status, body, headers }: HandlerResponse,
  choice: number,
): HandlerResponse {
  const swapped = new HandlerResponse(status === 200 ? 201 : 200, body, headers);
  if (documentedBodies.has(endpoint)) return swapped;
  const empty = [200, 201, 204].map((each) => new HandlerResponse(each, undefined, headers));
  return chosen([swapped, ...empty], choice) ?? swapped;
}
