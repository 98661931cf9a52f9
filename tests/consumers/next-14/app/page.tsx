import { seller, seller_id } from './seller';

/** Next tries to prerender it, and learns from the first request that it has to be rendered for each visitor. */
export default async function Page() {
  const { status, answer } = (await seller.questions.search({ seller_id }).first()) ?? {};
  return (
    <p>
      {status}: {answer?.text}
    </p>
  );
}
