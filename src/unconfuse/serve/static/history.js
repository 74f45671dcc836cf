// The history: two evaluations chosen for a comparison, and a whole history brought in.
import {byId, clear, follow, progress, send, show} from './requests.js';

const button = /** @type {HTMLButtonElement | null} */ (byId('compare'));
const ticks = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('.tick'));

function chosen() {
  return [...ticks].filter(each => each.checked).map(each => each.value);
}

for (const each of ticks) {
  each.checked = false;
  each.addEventListener('change', () => {
    if (button) button.disabled = chosen().length !== 2;
  });
}

button?.addEventListener('click', async () => {
  const [second, first] = chosen();
  clear();
  button.disabled = true;
  try {
    const job = await send('/api/comparisons', 'POST', {first, second});
    const made = await follow(job.id, progress);
    if (made !== null) location.assign(`/evaluations/${made}`);
  } catch (error) {
    button.disabled = false;
    show(/** @type {any} */ (error));
  }
});

const input = /** @type {HTMLInputElement | null} */ (byId('import'));
input?.addEventListener('change', async () => {
  const file = input.files?.[0];
  if (!file) return;
  clear();
  const form = new FormData();
  form.append('file', file);
  const answer = await fetch('/api/history', {method: 'POST', body: form});
  const said = await answer.json();
  input.value = '';
  if (answer.ok) location.reload();
  else show(said.error, 'file');
});
