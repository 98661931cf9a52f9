import { showConnect, startConnect } from './connect.js';
import { showConversations } from './conversations.js';
import { byId } from './dom.js';
import { showFaults, startFaults } from './faults.js';
import { showFlex } from './flex.js';
import { showQuestions, startQuestions } from './questions.js';
import { rememberTokens, showRequest, showRequests, startRequests } from './requests.js';
import { listen } from './server.js';
import { startTabs } from './tabs.js';

startTabs();
startConnect();
startRequests();
startQuestions();
startFaults();

listen({
  requests: showRequests,
  request: showRequest,
  state: (state) => {
    byId('clock').textContent = state.clockIsStopped
      ? `Clock stopped at ${state.now.slice(0, 19).replace('T', ' ')}`
      : '';
    rememberTokens(state);
    showQuestions(state);
    showConversations(state);
    showFlex(state);
    showFaults(state);
    showConnect(state);
  },
  link: (isUp) => {
    const link = byId('link');
    link.textContent = isUp ? 'Live' : 'Connection lost';
    link.classList.toggle('up', isUp);
  },
});
