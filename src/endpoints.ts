import { describe } from './core/describe.js';
import * as contacts from './resources/contacts/endpoints.js';
import * as currencies from './resources/currencies/endpoints.js';
import * as flex from './resources/flex/endpoints.js';
import * as items from './resources/items/endpoints.js';
import * as actionGuide from './resources/action-guide/endpoints.js';
import * as messages from './resources/messages/endpoints.js';
import * as questions from './resources/questions/endpoints.js';
import * as sites from './resources/sites/endpoints.js';

/** All endpoints, grouped by resource. `SellerClient.call` calls them. */
export const endpoints = {
  describe,
  actionGuide: {
    options: actionGuide.options,
    caps: actionGuide.caps,
    send: actionGuide.send,
  },
  messages: {
    conversation: messages.conversation,
    get: messages.get,
    send: messages.send,
    upload: messages.upload,
    download: messages.download,
  },
  questions: {
    search: questions.search,
    get: questions.get,
    ask: questions.ask,
    answer: questions.answer,
    delete: questions.remove,
    hide: questions.hide,
    responseTime: questions.responseTimeOf,
    blacklist: {
      add: questions.addToBlacklist,
      list: questions.listBlacklist,
      remove: questions.removeFromBlacklist,
    },
  },
  flex: {
    subscriptions: flex.subscriptions,
    configuration: flex.configuration,
    setDelivery: flex.setDelivery,
    addZones: flex.addZones,
    driver: flex.driver,
    items: {
      isEnabled: flex.isItemEnabled,
      enable: flex.enableItem,
      disable: flex.disableItem,
    },
  },
  contacts: {
    questions: {
      ofItem: contacts.questionsOfItem,
      ofUser: contacts.questionsOfUser,
      windowOfItem: contacts.questionWindowOfItem,
      windowOfUser: contacts.questionWindowOfUser,
    },
    phoneViews: {
      ofItem: contacts.phoneViewsOfItem,
      ofUser: contacts.phoneViewsOfUser,
      windowOfItem: contacts.phoneViewWindowOfItem,
      windowOfItems: contacts.phoneViewWindowOfItems,
      windowOfUser: contacts.phoneViewWindowOfUser,
    },
  },
  items: { status: items.status },
  sites: { search: sites.search },
  currencies: { list: currencies.list, get: currencies.get },
};
