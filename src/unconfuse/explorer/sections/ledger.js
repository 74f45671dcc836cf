// Names that tools disagree on: every definition, and what it gives on these data.

import {details, howToRead, html, table} from '../elements.js';
import {METRICS, payload} from '../payload.js';
import {number, numberText} from '../text.js';

/** @import {LedgerPart, Section} from '../types' */

const HOW_LEDGER =
  'Tools give different numbers under one name. These are the definitions that are about, what each gives on these ' +
  'data, and who computes it: look here when a number on this page differs from another tool’s.';

/** @param {LedgerPart} family */
function definitions({title, advice, entries}) {
  const rows = entries.map(({definition, value, tools, why}) => [
    definition,
    numberText(number(value)),
    html('td', null, tools),
    html('td', null, why),
  ]);
  const heads = ['Definition', 'Value', 'Who computes it', 'Why it differs'];
  return details(title, html('p', null, advice), table(`${title}: every definition`, heads, rows, {class: 'wide'}));
}

function meanings() {
  const rows = Object.values(METRICS).map(each => [
    each.label,
    html('td', null, each.question),
    html('td', null, each.misleads),
  ]);
  const heads = ['Metric', 'Question it answers', 'When it misleads'];
  return details('What each metric means', table('Metrics and what they mean', heads, rows, {class: 'wide'}));
}

/** @type {Section} */
export const ledgerSection = {
  id: 'ledger',
  title: 'One name, several numbers',
  short: 'Definitions',
  about: 'every definition that goes by a name on this page, and what each metric means',
  when: () => 'ledger' in payload,
  build: root => root.append(howToRead(HOW_LEDGER), ...(payload.ledger || []).map(definitions), meanings()),
};
