/** The rules that both module systems check: the matchers pass, fail with a list of the requests, and can be negated. */
module.exports = ({ FakeMarketplace, marketplaceMatchers }, { beforeEach, expect, test }) => {
  expect.extend(marketplaceMatchers);

  let marketplace;
  beforeEach(async () => {
    marketplace = new FakeMarketplace();
    const seller = marketplace.addUser();
    const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
    const { id } = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is there stock?' });
    await marketplace.clientFor(seller).questions.answer({ question_id: id, text: 'Yes.' });
  });

  test('the matchers find requests', () => {
    expect(marketplace).toHaveReceived({ endpoint: 'questions.answer', body: { text: 'Yes.' } });
    expect(marketplace).toHaveReceivedTimes(1, { method: 'POST', path: '/answers' });
    expect(marketplace).not.toHaveReceived({ endpoint: 'questions.delete' });
    expect(marketplace).not.toHaveReceivedTimes(2);
  });

  test('a failing matcher lists the requests', () => {
    expect(() => expect(marketplace).toHaveReceived({ endpoint: 'questions.delete' })).toThrow(/POST \/answers 200/);
    expect(() => expect(marketplace).not.toHaveReceivedTimes(1)).toThrow(/not to receive/);
  });
};
