import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { alone, bareList, orAnything } from '../fields.js';
import { array, preprocess, union } from '../../core/schema/define.js';
import * as schemas from './schemas.js';

const oneTotal = preprocess<schemas.ContactTotal>(schemas.contactTotal, alone);
const oneWindow = preprocess<schemas.ContactWindow>(schemas.contactWindow, alone);

/** What the endpoints have in common. */
const count = { method: 'GET', retry: 'safe', errors: [], supportsAttributes: true } as const;

// In the examples.
const date_from = '2026-03-01T00:00:00.000-03:00';
const date_to = '2026-03-31T23:59:59.999-03:00';
const window = { last: 7, unit: 'day', ending: '2026-03-31T00:00:00Z', order: 'desc', limit: 20, offset: 1 } as const;

const questionsOfItem: DescribedEndpoint<schemas.ItemPeriodParams, schemas.ContactTotal> = {
  ...count,
  name: 'contacts.questions.ofItem',
  summary: 'Counts the questions of guests about an item',
  path: '/items/{item_id}/contacts/questions',
  input: schemas.itemPeriodParams,
  example: { item_id: 'MLA100', date_from, date_to },
  output: oneTotal,
  identity: { item_id: 'item_id' },
};

const questionsOfUser: DescribedEndpoint<schemas.UserPeriodParams, schemas.ContactTotal | undefined> = {
  ...count,
  name: 'contacts.questions.ofUser',
  summary: 'Counts the questions of guests to a user',
  path: '/users/{user_id}/contacts/questions',
  input: schemas.userPeriodParams,
  example: { user_id: 7, date_from, date_to },
  // It is not documented: it is parsed as the usual total if possible, otherwise returned unchanged.
  output: orAnything<schemas.ContactTotal>(schemas.contactTotal, 'total', alone),
  identity: { user_id: 'user_id' },
};

const questionWindowOfItem: DescribedEndpoint<
  schemas.QuestionItemWindowParams,
  schemas.ContactWindow | schemas.ContactWindow[]
> = {
  ...count,
  name: 'contacts.questions.windowOfItem',
  summary: 'Counts the questions of guests about an item per day or hour',
  path: '/items/{item_id}/contacts/questions/time_window',
  input: schemas.questionItemWindowParams,
  example: { item_id: 'MLA100', ids: ['MLA100', 'MLA200'], ...window },
  // The service may send a window as a list with one entry, and the windows of several items as a list.
  output: preprocess<schemas.ContactWindow | schemas.ContactWindow[]>(
    union(schemas.contactWindow, array(schemas.contactWindow)),
    alone,
  ),
  identity: { item_id: '*.item_id', ids: '*.item_id' },
};

const questionWindowOfUser: DescribedEndpoint<schemas.UserWindowParams, schemas.ContactWindow> = {
  ...count,
  name: 'contacts.questions.windowOfUser',
  summary: 'Counts the questions of guests to a user per day or hour',
  path: '/users/{user_id}/contacts/questions/time_window',
  input: schemas.userWindowParams,
  example: { user_id: 7, ...window },
  output: oneWindow,
  identity: { user_id: 'user_id' },
};

const phoneViewsOfItem: DescribedEndpoint<schemas.ItemPeriodParams, schemas.ContactTotal> = {
  ...count,
  name: 'contacts.phoneViews.ofItem',
  summary: 'Counts the clicks on "See phone" of an item',
  path: '/items/{item_id}/contacts/phone_views',
  input: schemas.itemPeriodParams,
  example: { item_id: 'MLA100', date_from, date_to },
  output: oneTotal,
  identity: { item_id: 'item_id' },
};

const phoneViewsOfUser: DescribedEndpoint<schemas.UserPeriodParams, schemas.ContactTotal> = {
  ...count,
  name: 'contacts.phoneViews.ofUser',
  summary: 'Counts the clicks on "See phone" of the items of a user',
  path: '/users/{user_id}/contacts/phone_views',
  input: schemas.userPeriodParams,
  example: { user_id: 7, date_from, date_to },
  output: oneTotal,
  identity: { user_id: 'user_id' },
};

const phoneViewWindowOfItem: DescribedEndpoint<schemas.ItemWindowParams, schemas.ContactWindow> = {
  ...count,
  name: 'contacts.phoneViews.windowOfItem',
  summary: 'Counts the clicks on "See phone" of an item per day or hour',
  path: '/items/{item_id}/contacts/phone_views/time_window',
  input: schemas.itemWindowParams,
  example: { item_id: 'MLA100', ...window },
  output: oneWindow,
  identity: { item_id: 'item_id' },
};

const phoneViewWindowOfItems: DescribedEndpoint<schemas.ItemsWindowParams, schemas.ContactWindow[]> = {
  ...count,
  name: 'contacts.phoneViews.windowOfItems',
  summary: 'Counts the clicks on "See phone" of several items per day or hour',
  path: '/items/contacts/phone_views/time_window',
  input: schemas.itemsWindowParams,
  example: { ids: ['MLA100', 'MLA200'], ...window },
  output: preprocess<schemas.ContactWindow[]>(array(schemas.contactWindow), bareList('item_id', 'windows')),
  identity: { ids: '*.item_id' },
};

const phoneViewWindowOfUser: DescribedEndpoint<schemas.UserWindowParams, schemas.ContactWindow> = {
  ...count,
  name: 'contacts.phoneViews.windowOfUser',
  summary: 'Counts the clicks on "See phone" of the items of a user per day or hour',
  path: '/users/{user_id}/contacts/phone_views/time_window',
  input: schemas.userWindowParams,
  example: { user_id: 7, ...window },
  output: oneWindow,
  identity: { user_id: 'user_id' },
};

/** The endpoints of contact metrics, as `endpoints` has them. */
export const contactEndpoints = {
  questions: {
    ofItem: questionsOfItem,
    ofUser: questionsOfUser,
    windowOfItem: questionWindowOfItem,
    windowOfUser: questionWindowOfUser,
  },
  phoneViews: {
    ofItem: phoneViewsOfItem,
    ofUser: phoneViewsOfUser,
    windowOfItem: phoneViewWindowOfItem,
    windowOfItems: phoneViewWindowOfItems,
    windowOfUser: phoneViewWindowOfUser,
  },
};
