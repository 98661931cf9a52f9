import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import type { sharedPlaces } from '../support/shared-places.ts';
import { storeAt } from '../support/store-at.ts';

interface ToldSale {
  /** The file of a program that notes what it is told, and is killed while it is told, or lives. */
  readonly program: string;
  readonly place: ReturnType<typeof sharedPlaces>[number];
  readonly folder: string;
  /** What the seller writes; `forbidden` is rejected with a 403. */
  readonly text: string;
  readonly onTestFinished: (end: () => void) => void;
}

/** A sale whose buyer has written, in a marketplace on a port, and processes of the seller that share a store. */
export async function toldSale({ program, place, folder, text, onTestFinished }: ToldSale) {
  const marketplace = new FakeMarketplace();
  const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
  const { user_id } = seller;
  const pack = marketplace.addPack({ seller_id: user_id, buyer_id: buyer.user_id });
  const { id: message_id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  if (text === 'forbidden') marketplace.faults.inject({ endpoint: endpoints.messages.send, status: 403, times: 10 });
  const service = await marketplace.listen();
  const { where, close } = await place.open();
  const file = join(folder, `${randomUUID()}.txt`);
  return {
    input: { pack_id: pack.pack_id!, user_id, to: { user_id: buyer.user_id }, text },
    message_id,
    store: storeAt(place.name, where),
    /** What the processes have noted. */
    told: (): string => readFileSync(file, 'utf8'),
    /** What the buyer got from the seller. */
    sent: () => marketplace.messages.of(pack).filter(({ from }) => from === user_id),
    start: (end: 'killed' | 'lives'): ChildProcess => {
      const token = marketplace.tokenFor(seller);
      const args = [program, place.name, where, service.url, token, String(user_id), file, end, text];
      const child = spawn(process.execPath, args, { stdio: 'ignore' });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    },
    close: async (): Promise<void> => {
      await close();
      await service.close();
    },
  };
}
