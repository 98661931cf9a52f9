import type { Endpoint } from '../../core/endpoint.js';
import {
  contactTotal,
  contactWindow,
  contactWindows,
  itemPeriodParams,
  itemWindowParams,
  itemsWindowParams,
  questionItemWindowParams,
  totalOrWhatever,
  userPeriodParams,
  userWindowParams,
  windowOrList,
} from './schemas.js';
import type {
  ContactTotal,
  ContactWindow,
  ItemPeriodParams,
  ItemWindowParams,
  ItemsWindowParams,
  QuestionItemWindowParams,
  UserPeriodParams,
  UserWindowParams,
} from './schemas.js';

const questionsOfItem: Endpoint<ItemPeriodParams, ContactTotal> = {
  name: 'contacts.questions.ofItem',
  method: 'GET',
  path: '/items/{item_id}/contacts/questions',
  input: itemPeriodParams,
  output: contactTotal,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

const questionsOfUser: Endpoint<UserPeriodParams, ContactTotal | undefined> = {
  name: 'contacts.questions.ofUser',
  method: 'GET',
  path: '/users/{user_id}/contacts/questions',
  input: userPeriodParams,
  output: totalOrWhatever,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

const questionWindowOfItem: Endpoint<QuestionItemWindowParams, ContactWindow> = {
  name: 'contacts.questions.windowOfItem',
  method: 'GET',
  path: '/items/{item_id}/contacts/questions/time_window',
  input: questionItemWindowParams,
  output: windowOrList,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

const questionWindowOfUser: Endpoint<UserWindowParams, ContactWindow> = {
  name: 'contacts.questions.windowOfUser',
  method: 'GET',
  path: '/users/{user_id}/contacts/questions/time_window',
  input: userWindowParams,
  output: contactWindow,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

const phoneViewsOfItem: Endpoint<ItemPeriodParams, ContactTotal> = {
  name: 'contacts.phoneViews.ofItem',
  method: 'GET',
  path: '/items/{item_id}/contacts/phone_views',
  input: itemPeriodParams,
  output: contactTotal,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

const phoneViewsOfUser: Endpoint<UserPeriodParams, ContactTotal> = {
  name: 'contacts.phoneViews.ofUser',
  method: 'GET',
  path: '/users/{user_id}/contacts/phone_views',
  input: userPeriodParams,
  output: contactTotal,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

const phoneViewWindowOfItem: Endpoint<ItemWindowParams, ContactWindow> = {
  name: 'contacts.phoneViews.windowOfItem',
  method: 'GET',
  path: '/items/{item_id}/contacts/phone_views/time_window',
  input: itemWindowParams,
  output: contactWindow,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

const phoneViewWindowOfItems: Endpoint<ItemsWindowParams, ContactWindow[]> = {
  name: 'contacts.phoneViews.windowOfItems',
  method: 'GET',
  path: '/items/contacts/phone_views/time_window',
  input: itemsWindowParams,
  output: contactWindows,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

const phoneViewWindowOfUser: Endpoint<UserWindowParams, ContactWindow> = {
  name: 'contacts.phoneViews.windowOfUser',
  method: 'GET',
  path: '/users/{user_id}/contacts/phone_views/time_window',
  input: userWindowParams,
  output: contactWindow,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
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
