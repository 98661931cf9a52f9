import { fetchHandler } from 'marketplace-seller-sdk/notifications';
import { inbox } from '../../inbox.js';

export const POST = fetchHandler(inbox);
