section('each', 'Each class against the rest', 'Classes', () => Boolean(CLASSES), root => {
  const SHOWN = 100, metrics = Object.entries(CLASSES.table.metrics).map(([name, each]) => ({name, label: each.label, value: numbers(each.value), low: numbers(each.low), high: numbers(each.high)}));
  const shortLabel = {sensitivity: 'Recall', precision: 'Precision', f1: 'F1', auroc: 'AUROC'};
  const curves = CLASSES.small_curves, drawn = Object.keys(curves).length > 0;
  const columns = [{name: 'class', words: 'Class', of: i => i}, {name: 'support', words: 'Cases', of: i => CLASSES.truth[i]}, {name: 'called', words: 'Called', of: i => CLASSES.predicted[i]},
    ...metrics.map(each => ({name: each.name, words: shortLabel[each.name] || each.label, of: i => each.value[i]}))];
  let sorted = 'sensitivity' in CLASSES.table.metrics ? 'sensitivity' : 'support', up = sorted !== 'support', wanted = '', most = SHOWN;

  const search = h('input', {type: 'search', id: 'class-search', placeholder: 'part of a name'}), said = h('span', {class: 'muted small', role: 'status', id: 'class-found'});
  search.addEventListener('input', () => { wanted = search.value.trim().toLowerCase(); draw(); });
  root.append(h('p', {class: 'how'}, `Recall is the share of a class that was found, precision the share of what was called so that really is. Bars are ${levelText(CLASSES.level)} intervals on a scale from 0 to 1: a wide bar says that little is known. Press a column's name to sort, and a class to look into it.`));
  if (CLASSES.size > 8) root.append(h('p', {class: 'field'}, h('label', {for: search.id}, 'Find a class'), search, said));
  const heads = columns.map((each, i) => h('th', {scope: 'col', class: i === 1 || i === 2 ? 'num' : i ? 'judged' : null, 'data-column': each.name}, h('button', {type: 'button', class: 'sorter', on: {click: () => { if (sorted === each.name) up = !up; else { sorted = each.name; up = !['support', 'called'].includes(sorted); } draw(); }}}, each.words)));
  const body = h('tbody', null), more = h('button', {type: 'button', on: {click: () => { most += 400; draw(); }}});
  const box = h('div', {class: 'scroll tall', tabindex: 0, role: 'region', 'aria-label': 'Each class against the rest'},
    h('table', {class: 'each', id: 'class-table'}, h('caption', {class: 'hidden'}, 'Each class against the rest'), h('thead', null, h('tr', null, heads, drawn ? h('th', {scope: 'col'}, 'ROC') : null)), body));
  root.append(box, more);

  function small(i) {
    const found = curves[i];
    if (!found) return h('td', null);
    const line = numbers(found.x).map((x, p) => `${(1 + 34 * x).toFixed(1)},${(35 - 34 * number(found.y[p])).toFixed(1)}`).join('L');
    return h('td', null, s('svg', {viewBox: '0 0 36 36', class: 'spark', role: 'img', 'aria-label': `ROC curve of ${CLASSES.names[i].slice(0, 60)}`}, s('path', {class: 'rail', d: 'M1,35L35,1'}), s('path', {class: 'line', d: `M${line}`})));
  }
  const cell = (each, i) => {
    const [value, low, high] = [each.value[i], each.low[i], each.high[i]];
    return h('td', {class: 'judged', 'data-metric': each.name, 'data-value': value}, numberText(value),
      Number.isNaN(value) ? null : intervalBar({value, low, high, baseline: NaN, range: [0, 1], cls: 'mini', width: 110, label: `${each.label} ${numberText(value)} ${intervalText(low, high)}`}));
  };
  const made = new Map();
  function line(i) {
    if (!made.has(i)) {
      const why = CLASSES.table.undefined[i];
      made.set(i, h('tr', {'data-class': i}, h('th', {scope: 'row'}, h('button', {type: 'button', class: 'rule name', on: {click: () => chooseClass(i, true)}}, CLASSES.names[i]), why ? h('span', {class: 'question'}, why) : null),
        h('td', {class: 'num'}, countText(CLASSES.truth[i])), h('td', {class: 'num'}, countText(CLASSES.predicted[i])), metrics.map(each => cell(each, i)), drawn ? small(i) : null));
    }
    return made.get(i);
  }
  // Classes without a value come last, whichever way the others run; equal ones stay in their order.
  function ranked() {
    const {of} = columns.find(each => each.name === sorted), key = i => Number.isNaN(of(i)) ? Infinity : up ? of(i) : -of(i);
    return CLASSES.names.map((_, i) => i).filter(i => !wanted || CLASSES.names[i].toLowerCase().includes(wanted)).sort((a, b) => key(a) === key(b) ? a - b : key(a) - key(b));
  }
  function draw() {
    const rows = ranked();
    body.replaceChildren(...rows.slice(0, most).map(line));
    heads.forEach(each => each.setAttribute('aria-sort', each.dataset.column !== sorted ? 'none' : up ? 'ascending' : 'descending'));
    set(said, wanted ? `${countText(rows.length)} of ${countText(CLASSES.size)} classes` : '');
    more.hidden = rows.length <= most;
    set(more, `Show more of ${countText(rows.length)} classes`);
  }
  draw();
  watch(() => { for (const [i, row] of made) row.classList.toggle('chosen', i === state.class); });
});
