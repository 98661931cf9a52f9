import { fetchHandler } from 'marketplace-seller-sdk/notifications';
import { receiver } from '../../inbox.js';

export const POST = fetchHandler(receiver);
