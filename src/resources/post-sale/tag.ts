/** Without it, the service responds to every call of post-sale messaging with 404. */
export const postSaleTag = { tag: 'post_sale' };
