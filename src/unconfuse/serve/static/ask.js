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
    show(/** @type {any} */ (error), 'form', mend);
  }
});

/** What a refusal offered: its answers are set, and the question is asked again.
 * @param {Record<string, string>} answers
 */
function mend(answers) {
  for (const [name, value] of Object.entries(answers)) put(name, value);
  form?.requestSubmit();
}

/** @param {string} name @param {string} value */
function put(name, value) {
  const field = /** @type {HTMLInputElement | HTMLSelectElement | null} */ (byId(`field-${name}`));
  if (!field) return;
  const can = !(field instanceof HTMLSelectElement) || [...field.options].some(each => each.value === value);
  if (can) field.value = value;
}

// Another label has other values to be positive; reasons are shown while what was guessed is chosen.
function followLabel() {
  const chosen = columns.find((/** @type {any} */ each) => each.name === text('label'));
  const select = byId('field-positive');
  const why = byId('why-positive');
  if (!(select instanceof HTMLSelectElement)) return;
  const values = chosen?.values ?? [];
  select.replaceChildren(select.options[0], ...values.map((/** @type {string} */ each) => new Option(each, each)));
  select.value = chosen?.positive?.value ?? '';
  if (!why) return;
  why.dataset.guess = select.value;
  why.textContent = chosen?.positive ? `Guessed: ${chosen.positive.reason}.` : '';
}

function showReasons() {
  for (const why of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.why'))) {
    const field = byId(why.id.replace('why', 'field'));
    const value = /** @type {HTMLInputElement | null} */ (field)?.value ?? why.dataset.guess;
    why.hidden = !why.textContent || value !== why.dataset.guess;
  }
}

byId('field-label')?.addEventListener('change', followLabel);
form?.addEventListener('change', () => {
  showReasons();
  keepRoles();
});

// What was said of a file holds for every question about it: it is kept while this window is open.
const place = `roles of ${form?.dataset.file}`;

function keepRoles() {
  if (!form?.dataset.file) return;
  /** @type {Record<string, unknown>} */
  const kept = JSON.parse(sessionStorage.getItem(place) ?? '{}');
  for (const field of all('[name][data-role]')) {
    kept[`${field.name} ${field.dataset.kind}`] = field.type === 'checkbox' ? field.checked : field.value;
  }
  for (const group of all('fieldset[data-role]')) kept[`${group.dataset.field} columns`] = ticked(group);
  sessionStorage.setItem(place, JSON.stringify(kept));
}

function bringRoles() {
  const kept = JSON.parse(sessionStorage.getItem(place) ?? 'null');
  if (!form?.dataset.file || !kept) return;
  if (kept['label column']) {
    put('label', kept['label column']);
    followLabel();
  }
  for (const field of all('[name][data-role]')) {
    const value = kept[`${field.name} ${field.dataset.kind}`] ?? kept[`${field.name} columns`]?.[0];
    if (typeof value === 'boolean') field.checked = value;
    else if (typeof value === 'string') put(field.name, value);
  }
  for (const group of all('fieldset[data-role]')) bringTicks(group, kept);
  showReasons();
}

/** The boxes as they were left; where another question asked for one column, that one is ticked as well.
 * @param {HTMLElement} group
 * @param {Record<string, any>} kept
 */
function bringTicks(group, kept) {
  const [several, one] = [kept[`${group.dataset.field} columns`], kept[`${group.dataset.field} column`]];
  for (const box of group.querySelectorAll('input')) {
    box.checked = several ? several.includes(box.value) : box.checked || box.value === one;
  }
}

bringRoles();
document.querySelector('.tabs [aria-current]')?.scrollIntoView({block: 'nearest', inline: 'nearest'}); // on a phone

byId('forget')?.addEventListener('click', async () => {
  const file = byId('forget')?.dataset.file;
  sessionStorage.removeItem(place);
  await send(`/api/files/${file}`, 'DELETE').then(
    () => location.assign('/'),
    error => show(error, 'forget'),
  );
});
