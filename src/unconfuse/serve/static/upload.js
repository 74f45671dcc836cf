// A file on its way in: chosen, dropped, pointed to, or an example.
import {byId, clear, refusal, send, show, working} from './requests.js';

const drop = byId('drop');
const input = /** @type {HTMLInputElement | null} */ (byId('file'));

/** @param {{id: string}} file */
function open(file) {
  location.assign(`/files/${file.id}`);
}

/** @param {File} file */
function upload(file) {
  clear();
  const request = new XMLHttpRequest();
  const form = new FormData();
  form.append('file', file);
  request.open('POST', '/api/files');
  request.responseType = 'json';
  request.upload.onprogress = sent => {
    const bar = /** @type {HTMLProgressElement} */ (byId('progress'));
    bar.value = sent.total ? sent.loaded / sent.total : 0;
    tell(
      sent.loaded < sent.total ? `sending ${file.name}: ${Math.round(100 * bar.value)}%` : `looking at ${file.name}`,
    );
  };
  request.onload = () => {
    if (request.status === 201) return open(request.response);
    ended(request.response?.error ?? refusal(`The server answered ${request.status}.`));
  };
  request.onerror = () => ended(refusal('The file was not taken. It may be too large, or the server has stopped.'));
  request.onabort = () => ended(null);
  const cancel = byId('cancel');
  if (cancel) cancel.onclick = () => request.abort();
  working(true);
  tell(`sending ${file.name}`);
  request.send(form);
}

/** @param {string} words */
function tell(words) {
  const text = byId('progress-text');
  if (text) text.textContent = words;
}

/** @param {any} error */
function ended(error) {
  working(false);
  if (input) input.value = '';
  if (error) show(error, 'file');
}

input?.addEventListener('change', () => {
  const file = input.files?.[0];
  if (file) upload(file);
});

for (const kind of ['dragenter', 'dragover']) {
  drop?.addEventListener(kind, event => {
    event.preventDefault();
    drop.classList.add('over');
  });
}
for (const kind of ['dragleave', 'drop']) drop?.addEventListener(kind, () => drop.classList.remove('over'));
drop?.addEventListener('drop', event => {
  event.preventDefault();
  const file = /** @type {DragEvent} */ (event).dataTransfer?.files[0];
  if (file) upload(file);
});

byId('pointed')?.addEventListener('submit', async event => {
  event.preventDefault();
  const path = /** @type {HTMLInputElement} */ (byId('field-path')).value;
  await send('/api/files/pointed', 'POST', {path}).then(open, error => show(error, 'path'));
});

for (const button of document.querySelectorAll('[data-demo]')) {
  button.addEventListener('click', async () => {
    const demo = /** @type {HTMLElement} */ (button).dataset.demo;
    await send('/api/files/pointed', 'POST', {demo}).then(open, error => show(error, 'demo'));
  });
}
