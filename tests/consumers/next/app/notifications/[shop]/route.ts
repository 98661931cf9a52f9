import { fetchHandler } from 'marketplace-seller-sdk/inbox';
import { inbox } from '../../inbox.js';

export const POST = fetchHandler(inbox);
