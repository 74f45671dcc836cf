// Requests to the app's own API, refusals beside their fields, and jobs that are followed to their end.

/** @typedef {{label: string, answers: Record<string, string>}} Remedy */
/** @typedef {{message: string, field: string | null, remedy?: Remedy | null}} Refusal */

/**
 * @param {string} path
 * @param {string} [method]
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export async function send(path, method = 'GET', body = undefined) {
  const json = body === undefined ? {} : {headers: {'content-type': 'application/json'}, body: JSON.stringify(body)};
  const answer = await fetch(path, {method, ...json}).catch(() => null);
  if (answer === null) throw refusal('The server does not answer. Is unconfuse serve still running?');
  if (answer.status === 204) return null;
  const said = await answer.json().catch(() => null);
  if (answer.ok) return said;
  throw said?.error ?? refusal(`The server answered ${answer.status}.`);
}

/** @param {string} message */
export function refusal(message) {
  return {message, field: null};
}

/** Show a refusal beside its field, or where the form shows what belongs to none.
 * @param {Refusal} error
 * @param {string} [elsewhere]
 * @param {(answers: Record<string, string>) => void} [mend] what the button of a remedy does
 */
export function show(error, elsewhere = 'form', mend = undefined) {
  clear();
  const place = byId(`error-${error.field}`) ?? byId(`error-${elsewhere}`);
  if (!place) return;
  place.textContent = error.message;
  const remedy = error.remedy;
  if (remedy && mend)
    place.append(
      ' ',
      button(remedy.label, () => mend(remedy.answers)),
    );
  place.hidden = false;
  const field = byId(`field-${error.field}`);
  place.closest('details')?.setAttribute('open', '');
  if (field) {
    field.setAttribute('aria-invalid', 'true');
    field.focus();
  } else {
    place.scrollIntoView({block: 'nearest'});
  }
}

/** @param {string} words @param {() => void} press */
function button(words, press) {
  const made = Object.assign(document.createElement('button'), {type: 'button', className: 'remedy', onclick: press});
  made.textContent = words;
  return made;
}

export function clear() {
  for (const each of document.querySelectorAll('.error[id]')) {
    each.textContent = '';
    /** @type {HTMLElement} */ (each).hidden = true;
  }
  for (const each of document.querySelectorAll('[aria-invalid]')) each.removeAttribute('aria-invalid');
}

/** @param {string} id */
export function byId(id) {
  return document.getElementById(id);
}

/** Follow a job: `tell` hears how far it is, the evaluation's id comes at the end; a cancelled one gives null.
 * @param {string} id
 * @param {(job: any) => void} tell
 * @returns {Promise<string | null>}
 */
export async function follow(id, tell) {
  for (let wait = 120; ; wait = Math.min(wait * 1.3, 1000)) {
    const job = await send(`/api/jobs/${id}`);
    tell(job);
    if (job.state === 'done') return job.evaluation;
    if (job.state === 'cancelled') return null;
    if (job.state === 'failed') throw job.error;
    await new Promise(done => setTimeout(done, wait));
  }
}

/** How far a job is, in the bar and in words.
 * @param {any} job
 */
export function progress(job) {
  const bar = /** @type {HTMLProgressElement | null} */ (byId('progress'));
  const {what, done, total} = job.progress;
  const share = total > 0 ? ` ${Math.round((100 * done) / total)}%` : '';
  const words = job.state === 'waiting' && !what ? 'waiting for its turn' : `${what ?? 'reading the file'}${share}`;
  const text = byId('progress-text');
  if (text && text.textContent !== words) text.textContent = words;
  if (bar && total > 0) bar.value = done / total;
  else bar?.removeAttribute('value');
}

/** @param {boolean} on */
export function working(on) {
  const place = byId('working');
  if (place) place.hidden = !on;
}
