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

export const questionsOfItem: Endpoint<ItemPeriodParams, ContactTotal> = {
  name: 'contacts.questions.ofItem',
  method: 'GET',
  path: '/items/{item_id}/contacts/questions',
  input: itemPeriodParams,
  output: contactTotal,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

export const questionsOfUser: Endpoint<UserPeriodParams, ContactTotal | undefined> = {
  name: 'contacts.questions.ofUser',
  method: 'GET',
  path: '/users/{user_id}/contacts/questions',
  input: userPeriodParams,
  output: totalOrWhatever,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

export const questionWindowOfItem: Endpoint<QuestionItemWindowParams, ContactWindow> = {
  name: 'contacts.questions.windowOfItem',
  method: 'GET',
  path: '/items/{item_id}/contacts/questions/time_window',
  input: questionItemWindowParams,
  output: windowOrList,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

export const questionWindowOfUser: Endpoint<UserWindowParams, ContactWindow> = {
  name: 'contacts.questions.windowOfUser',
  method: 'GET',
  path: '/users/{user_id}/contacts/questions/time_window',
  input: userWindowParams,
  output: contactWindow,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

export const phoneViewsOfItem: Endpoint<ItemPeriodParams, ContactTotal> = {
  name: 'contacts.phoneViews.ofItem',
  method: 'GET',
  path: '/items/{item_id}/contacts/phone_views',
  input: itemPeriodParams,
  output: contactTotal,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

export const phoneViewsOfUser: Endpoint<UserPeriodParams, ContactTotal> = {
  name: 'contacts.phoneViews.ofUser',
  method: 'GET',
  path: '/users/{user_id}/contacts/phone_views',
  input: userPeriodParams,
  output: contactTotal,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

export const phoneViewWindowOfItem: Endpoint<ItemWindowParams, ContactWindow> = {
  name: 'contacts.phoneViews.windowOfItem',
  method: 'GET',
  path: '/items/{item_id}/contacts/phone_views/time_window',
  input: itemWindowParams,
  output: contactWindow,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

export const phoneViewWindowOfItems: Endpoint<ItemsWindowParams, ContactWindow[]> = {
  name: 'contacts.phoneViews.windowOfItems',
  method: 'GET',
  path: '/items/contacts/phone_views/time_window',
  input: itemsWindowParams,
  output: contactWindows,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

export const phoneViewWindowOfUser: Endpoint<UserWindowParams, ContactWindow> = {
  name: 'contacts.phoneViews.windowOfUser',
  method: 'GET',
  path: '/users/{user_id}/contacts/phone_views/time_window',
  input: userWindowParams,
  output: contactWindow,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};
