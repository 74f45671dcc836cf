// A question: its fields as JSON, the job that answers it, and the way to the saved page.
import {byId, clear, follow, progress, send, show, working} from './requests.js';

const form = /** @type {HTMLFormElement | null} */ (byId('question'));
const columns = JSON.parse(byId('columns')?.textContent ?? '[]');

/** @param {string} selector */
function all(selector) {
  return /** @type {NodeListOf<HTMLInputElement>} */ (form?.querySelectorAll(selector));
}

function answers() {
  /** @type {Record<string, unknown>} */
  const found = {};
  for (const field of all('[name][data-kind]')) {
    const value = field.type === 'checkbox' ? field.checked : field.value;
    if (value !== '' && value !== false) found[field.name] = value;
  }
  for (const group of all('fieldset[data-field]')) {
    const value = group.dataset.kind === 'costs' ? costs(group) : ticked(group);
    if (Object.keys(value).length) found[String(group.dataset.field)] = value;
  }
  return found;
}

/** @param {HTMLElement} group */
function ticked(group) {
  const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (group.querySelectorAll('input:checked'));
  return [...boxes].map(each => each.value);
}

/** @param {HTMLElement} group */
function costs(group) {
  /** @type {Record<string, string[]>} */
  const found = {};
  for (const row of group.querySelectorAll('tbody tr')) {
    const [who, alarm, missed] = [...row.querySelectorAll('input')].map(each => each.value.trim());
    if (alarm || missed) found[who || 'costs'] = [alarm, missed];
  }
  return found;
}

/** @param {string} name */
function text(name) {
  return /** @type {HTMLInputElement} */ (byId(`field-${name}`)).value;
}

function request() {
  const tags = text('tags').split(',');
  const file = form?.dataset.file ? {file: form.dataset.file} : {};
  const words = {name: text('name'), tags: tags.map(each => each.trim()).filter(Boolean)};
  return {question: form?.dataset.question, answers: answers(), ...file, ...words};
}

/** @param {boolean} on */
function busy(on) {
  working(on);
  for (const each of all('button[type=submit]')) each.disabled = on;
}

form?.addEventListener('submit', async event => {
  event.preventDefault();
  clear();
  busy(true);
  try {
    const job = await send('/api/evaluations', 'POST', request());
    const cancel = byId('cancel');
    if (cancel) cancel.onclick = () => send(`/api/jobs/${job.id}`, 'DELETE');
    const made = await follow(job.id, progress);
    if (made !== null) location.assign(`/evaluations/${made}`);
    else busy(false);
  } catch (error) {
    busy(false);
    show(/** @type {any} */ (error));
  }
});

// Another label has other values to be positive.
byId('field-label')?.addEventListener('change', () => {
  const values = columns.find((/** @type {any} */ each) => each.name === text('label'))?.values ?? [];
  const select = byId('field-positive');
  if (!(select instanceof HTMLSelectElement)) return;
  select.replaceChildren(select.options[0], ...values.map((/** @type {string} */ each) => new Option(each, each)));
  select.selectedIndex = 0;
});
