section('costs', 'What errors cost, and to whom', 'Costs', () => MODELS.length > 0 && MODELS[0].scored, root => {
  root.append(h('p', {class: 'how'}, 'Different people pay for different errors. Write down what a false alarm and a miss cost each of them, in any unit; the best threshold follows, at the prevalence of the slider.'));
  const given = payload.costs || [], defaults = [{name: 'Stakeholder A', fp: 1, fn: 10}, {name: 'Stakeholder B', fp: 5, fn: 1}];
  const people = [0, 1].map(i => ({...defaults[i], ...(given[i] || {})}));
  const grid = h('div', {class: 'grid'});
  root.append(grid);
  const costAt = (each, stop, who) => { const c = atPrevalence(each.counts[stop], state.prevalence); return 1000 * FORMULA.expected_cost(c.fp, c.fn, who.fp, who.fn); };
  // Of equally cheap thresholds the one that calls fewest positive, as in the card.
  const best = (each, who) => { let at = each.counts.length - 1; for (let i = at - 1; i >= 0; i--) if (costAt(each, i, who) < costAt(each, at, who) - 1e-9) at = i; return at; };

  people.forEach((who, i) => {
    const field = (key, words) => {
      const input = h('input', {type: 'number', min: 0, step: 'any', value: who[key], id: `cost-${key}-${i}`});
      input.addEventListener('input', () => { const v = Number(input.value); if (v >= 0 && Number.isFinite(v)) { who[key] = v; change({}); } });
      return h('p', {class: 'field'}, h('label', {for: input.id}, words), input);
    };
    const name = h('input', {type: 'text', value: who.name, id: `who-${i}`, maxlength: 60});
    name.addEventListener('input', () => { who.name = name.value; change({}); });
    const now = h('dd', {class: 'num big', id: `cost-now-${i}`}), least = h('dd', {class: 'num big', id: `cost-least-${i}`}), where = h('dd', {class: 'num', id: `cost-where-${i}`});
    let target = 0;
    const go = h('button', {type: 'button', id: `cost-go-${i}`, on: {click: () => change({stop: target})}}, 'Move the slider there');
    const title = h('h3', null);
    grid.append(h('div', {class: 'panel'}, title, h('p', {class: 'field'}, h('label', {for: name.id}, 'Who pays?'), name),
      field('fp', 'A false alarm costs'), field('fn', 'A missed positive costs'),
      h('dl', null, h('dt', null, 'Now, per 1,000 people'), now, h('dt', null, 'At the best threshold'), least, h('dt', null, 'Best threshold'), where), go));
    watch(() => {
      const each = model();
      target = best(each, who);
      set(title, who.name || `Stakeholder ${i + 1}`);
      for (const [cell, stop] of [[now, state.stop], [least, target]]) { const cost = costAt(each, stop, who); set(cell, peopleText(cost)); cell.dataset.value = cost; }
      set(where, each.thresholds[target] === Infinity ? 'label nobody' : thresholdText(each.thresholds[target]));
      where.dataset.value = each.thresholds[target];
    });
  });
  const words = h('p', {class: 'said'});
  watch(() => {
    const [one, two] = people.map(who => best(model(), who)), [a, b] = people.map((who, i) => who.name || `stakeholder ${i + 1}`);
    set(words, one === two ? `Both are served best by the same threshold.` : `${a} and ${b} want different thresholds: what is best for ${a} costs ${b} ${peopleText(costAt(model(), one, people[1]) - costAt(model(), two, people[1]))} more per 1,000 people than it need.`);
  });
  root.append(words, h('p', {class: 'muted'}, `The best threshold is sought among the slider's stops, which hold the corners of the ROC curve's hull, where costs are least.`));
});
