import type { Endpoint } from '../../core/endpoint.js';
import {
  contactTotal,
  contactWindow,
  contactWindows,
  itemPeriod,
  itemWindow,
  itemsWindow,
  questionItemWindow,
  totalOrWhatever,
  userPeriod,
  userWindow,
} from './schemas.js';
import type {
  ContactTotal,
  ContactWindow,
  ItemPeriod,
  ItemWindow,
  ItemsWindow,
  QuestionItemWindow,
  UserPeriod,
  UserWindow,
} from './schemas.js';

export const questionsOfItem: Endpoint<ItemPeriod, ContactTotal> = {
  name: 'contacts.questions.ofItem',
  method: 'GET',
  path: '/items/{item_id}/contacts/questions',
  input: itemPeriod,
  output: contactTotal,
  retry: 'read',
  errors: [],
  reducible: true,
};

export const questionsOfUser: Endpoint<UserPeriod, ContactTotal | undefined> = {
  name: 'contacts.questions.ofUser',
  method: 'GET',
  path: '/users/{user_id}/contacts/questions',
  input: userPeriod,
  output: totalOrWhatever,
  retry: 'read',
  errors: [],
  reducible: true,
};

export const questionWindowOfItem: Endpoint<QuestionItemWindow, ContactWindow> = {
  name: 'contacts.questions.windowOfItem',
  method: 'GET',
  path: '/items/{item_id}/contacts/questions/time_window',
  input: questionItemWindow,
  output: contactWindow,
  retry: 'read',
  errors: [],
  reducible: true,
};

export const questionWindowOfUser: Endpoint<UserWindow, ContactWindow> = {
  name: 'contacts.questions.windowOfUser',
  method: 'GET',
  path: '/users/{user_id}/contacts/questions/time_window',
  input: userWindow,
  output: contactWindow,
  retry: 'read',
  errors: [],
  reducible: true,
};

export const phoneViewsOfItem: Endpoint<ItemPeriod, ContactTotal> = {
  name: 'contacts.phoneViews.ofItem',
  method: 'GET',
  path: '/items/{item_id}/contacts/phone_views',
  input: itemPeriod,
  output: contactTotal,
  retry: 'read',
  errors: [],
  reducible: true,
};

export const phoneViewsOfUser: Endpoint<UserPeriod, ContactTotal> = {
  name: 'contacts.phoneViews.ofUser',
  method: 'GET',
  path: '/users/{user_id}/contacts/phone_views',
  input: userPeriod,
  output: contactTotal,
  retry: 'read',
  errors: [],
  reducible: true,
};

export const phoneViewWindowOfItem: Endpoint<ItemWindow, ContactWindow> = {
  name: 'contacts.phoneViews.windowOfItem',
  method: 'GET',
  path: '/items/{item_id}/contacts/phone_views/time_window',
  input: itemWindow,
  output: contactWindow,
  retry: 'read',
  errors: [],
  reducible: true,
};

export const phoneViewWindowOfItems: Endpoint<ItemsWindow, ContactWindow[]> = {
  name: 'contacts.phoneViews.windowOfItems',
  method: 'GET',
  path: '/items/contacts/phone_views/time_window',
  input: itemsWindow,
  output: contactWindows,
  retry: 'read',
  errors: [],
  reducible: true,
};

export const phoneViewWindowOfUser: Endpoint<UserWindow, ContactWindow> = {
  name: 'contacts.phoneViews.windowOfUser',
  method: 'GET',
  path: '/users/{user_id}/contacts/phone_views/time_window',
  input: userWindow,
  output: contactWindow,
  retry: 'read',
  errors: [],
  reducible: true,
};
