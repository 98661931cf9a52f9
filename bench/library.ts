// The built package, as its users load it. (bench has a package.json of its own, so the package's name means nothing here.)
import type * as Library from 'marketplace-seller-sdk';
import type * as Schemas from 'marketplace-seller-sdk/schemas';
import { here } from './measure.ts';

const built: unknown = await import(here('../dist/esm/index.js'));
export const { SellerClient } = built as typeof Library;
const schemas: unknown = await import(here('../dist/esm/schemas.js'));
export const { endpoints } = schemas as typeof Schemas;
