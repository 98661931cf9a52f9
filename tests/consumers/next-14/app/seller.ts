import { SellerClient } from 'marketplace-seller-sdk';

export const seller_id = Number(process.env.SELLER_ID);
export const question_id = Number(process.env.QUESTION_ID);

export const seller = new SellerClient({
  baseUrl: process.env.SELLER_BASE_URL!,
  accessToken: process.env.SELLER_TOKEN,
  maxRetries: 0,
});
