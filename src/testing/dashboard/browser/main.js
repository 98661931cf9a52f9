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
import { showRequests, startRequests } from './requests.js';
import { showSale, startSale } from './sale.js';
import { listen } from './server.js';
import { showSettings, startSettings } from './settings.js';
import { count, startTabs } from './tabs.js';
import { showTrigger, startTrigger } from './trigger.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

/**
 * What draws each panel. A panel is drawn only while it is shown.
 *
 * @type {Readonly<Record<string, readonly ((state: Snapshot) => void)[]>>}
 */
const panels = {
  requests: [showRequests],
  questions: [showQuestions, showBlacklist],
  conversations: [showSale, showModeration, showConversations],
  flex: [showFlex],
  notifications: [showNotifications, showTrigger],
  faults: [showFaults],
  files: [showFiles],
  settings: [showSettings],
  connect: [showConnect],
};
/** @type {Snapshot | undefined} */
let state;

function draw() {
  if (!state) return;
  for (const [panel, parts] of Object.entries(panels)) if (!byId(panel).hidden) for (const show of parts) show(state);
}

startTabs(draw);
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
  state: (next) => {
    state = next;
    showClock(state);
    showCounts(state);
    draw();
  },
  link: (isUp) => {
    const link = byId('link');
    link.textContent = isUp ? 'Live' : 'Connection lost';
    link.classList.toggle('up', isUp);
  },
});

/** @param {Snapshot} state */
function showCounts({ counts }) {
  count('requests', counts.requests);
  count('questions', counts.unanswered);
  count('faults', counts.faults);
  count('files', counts.files);
  const pending = byId('pending');
  pending.hidden = counts.faults === 0;
  pending.textContent = `${counts.faults} ${counts.faults === 1 ? 'fault' : 'faults'} pending`;
}
