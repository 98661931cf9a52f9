import { showBlacklist, startBlacklist } from './blacklist.js';
import { showClock, startClock } from './clock.js';
import { showConnect, startConnect } from './connect.js';
import { showConversations } from './conversations.js';
import { byId } from './dom.js';
import { showFaults, startFaults } from './faults.js';
import { showFiles } from './files.js';
import { showFlex } from './flex.js';
import { showModeration, startModeration } from './moderation.js';
import { showNotifications, startNotifications } from './notifications.js';
import { showQuestions, startQuestions } from './questions.js';
import { rememberTokens, showRequest, showRequests, startRequests } from './requests.js';
import { showSale, startSale } from './sale.js';
import { listen } from './server.js';
import { showSettings, startSettings } from './settings.js';
import { startTabs } from './tabs.js';
import { showTrigger, startTrigger } from './trigger.js';

startTabs();
startConnect();
startRequests();
startQuestions();
startFaults();
startClock();
startSale();
startNotifications();
startTrigger();
startModeration();
startBlacklist();
startSettings();

listen({
  requests: showRequests,
  request: showRequest,
  state: (state) => {
    showClock(state);
    rememberTokens(state);
    showQuestions(state);
    showSale(state);
    showConversations(state);
    showFlex(state);
    showNotifications(state);
    showFaults(state);
    showTrigger(state);
    showModeration(state);
    showBlacklist(state);
    showFiles(state);
    showSettings(state);
    showConnect(state);
  },
  link: (isUp) => {
    const link = byId('link');
    link.textContent = isUp ? 'Live' : 'Connection lost';
    link.classList.toggle('up', isUp);
  },
});
