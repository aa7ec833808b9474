// Makes the page's still pictures alive: they fill the room they have, answer to pointing, and zoom over time.
// Everything it draws is in the page; it asks for nothing.
(() => {
  const vega = globalThis.vega;
  const text = document.getElementById('figures')?.textContent;
  if (vega === undefined || text === undefined) return;
  const specs = JSON.parse(text);
  const LEAST_WIDTH = 240;

  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.hidden = true;
  tip.setAttribute('aria-hidden', 'true');
  document.body.append(tip);

  /** Texts of a record are shown as text, never as markup. */
  function tell(_handler, event, _item, value) {
    if (value === null || value === undefined || value === '') {
      tip.hidden = true;
      return;
    }
    tip.replaceChildren();
    for (const [name, what] of Object.entries(value)) {
      const line = document.createElement(name === '' ? 'strong' : 'div');
      line.textContent = name === '' ? String(what) : `${name}: ${what}`;
      tip.append(line);
    }
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const left = Math.min(event.clientX + 14, window.innerWidth - width - 6);
    const top =
      event.clientY + 16 + height > window.innerHeight ? event.clientY - height - 10 : event.clientY + 16;
    tip.style.left = `${Math.max(6, left)}px`;
    tip.style.top = `${Math.max(6, top)}px`;
  }

  /** Shares of the axis that the next look begins and ends at. */
  function moved([from, to], action) {
    const span = to - from;
    const middle = (from + to) / 2;
    switch (action) {
      case 'in':
        return [middle - span / 4, middle + span / 4];
      case 'out': {
        const wide = Math.min(1, span * 2);
        const start = Math.min(1 - wide, Math.max(0, middle - wide / 2));
        return [start, start + wide];
      }
      case 'back': {
        const step = Math.min(span / 2, from);
        return [from - step, to - step];
      }
      case 'on': {
        const step = Math.min(span / 2, 1 - to);
        return [from + step, to + step];
      }
      default:
        return [0, 1];
    }
  }

  function zoom(figure, view) {
    const buttons = [...figure.querySelectorAll('button[data-zoom]')];
    if (buttons.length === 0) return;
    const look = () => [view.signal('from'), view.signal('to')];
    const show = () => {
      const [from, to] = look();
      for (const button of buttons) {
        const action = button.dataset.zoom;
        button.disabled =
          action === 'back'
            ? from <= 0
            : action === 'on'
              ? to >= 1
              : action === 'in'
                ? to - from < 0.005
                : to - from >= 1;
      }
    };
    for (const button of buttons) {
      button.hidden = false;
      button.addEventListener('click', () => {
        const [from, to] = moved(look(), button.dataset.zoom);
        view.signal('from', from).signal('to', to).runAsync().then(show);
      });
    }
    show();
  }

  const roomOf = (plot) => Math.max(LEAST_WIDTH, Math.floor(plot.clientWidth));

  function makeAlive(plot) {
    const spec = specs[plot.dataset.figure];
    if (spec === undefined) return;
    const still = [...plot.children];
    const stage = document.createElement('div');
    const view = new vega.View(vega.parse({ ...spec, width: roomOf(plot) }), {
      renderer: 'svg',
      hover: true,
      tooltip: tell,
    });
    view.logLevel(vega.Warn);
    view.initialize(stage);
    let width = roomOf(plot);
    // Laid out once more: how a legend breaks into lines depends on the width, and how high it is on that.
    const layOut = () => view.runAsync().then(() => view.resize().runAsync());
    layOut().then(() => {
      plot.replaceChildren(stage);
      // On paper every picture has the still one's size, so that all letters are of one size.
      window.addEventListener('beforeprint', () => plot.replaceChildren(...still));
      window.addEventListener('afterprint', () => plot.replaceChildren(stage));
      plot.classList.add('alive');
      plot.dataset.alive = 'true';
      const figure = plot.closest('figure');
      if (figure !== null) zoom(figure, view);
      new ResizeObserver(() => {
        if (plot.clientWidth === 0 || roomOf(plot) === width) return;
        width = roomOf(plot);
        view.width(width);
        layOut();
      }).observe(plot);
    });
  }

  // A picture far down the page, or in a closed part of it, is made alive when it comes near.
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        makeAlive(target);
      }
    },
    { rootMargin: '600px' },
  );
  for (const plot of document.querySelectorAll('.plot[data-figure]')) near.observe(plot);
  window.addEventListener('scroll', () => {
    tip.hidden = true;
  });
})();
