// Nodes as tiles on a canvas: how high a tile is filled, and how dark, shows how full the node is.

const SCALES = {
  light: [[222, 235, 247], [158, 202, 225], [66, 146, 198], [8, 81, 156], [8, 40, 100]],
  dark: [[38, 52, 70], [44, 88, 136], [58, 132, 190], [122, 186, 228], [204, 232, 250]],
};

function scaleColor(share, theme) {
  const stops = SCALES[theme];
  const at = Math.max(0, Math.min(1, share)) * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(at));
  const part = at - low;
  return stops[low].map((value, i) => Math.round(value + (stops[low + 1][i] - value) * part));
}

/** The parts of a colour such as #0b5cad. */
function hexColor(text) {
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
}

const IS_LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/** A colour as the number of a pixel. */
function pixelOf([red, green, blue], alpha) {
  const opacity = Math.round(255 * alpha);
  return IS_LITTLE_ENDIAN ? ((opacity << 24) | (blue << 16) | (green << 8) | red) >>> 0 : ((red << 24) | (green << 16) | (blue << 8) | opacity) >>> 0;
}

function tileSize(nodes) {
  if (nodes <= 60) {
    return { width: 44, height: 44, gap: 4 };
  }
  if (nodes <= 400) {
    return { width: 20, height: 24, gap: 3 };
  }
  if (nodes <= 2000) {
    return { width: 11, height: 15, gap: 2 };
  }
  return { width: 7, height: 11, gap: 1 };
}

// How much of a tile is seen that does not stand out.
const DIM = 0.3;
const GROUP_HEAD = 18;
const GROUP_SPACE = 8;

/**
 * A field of tiles for nodes in groups, with a marked one that arrow keys move.
 *
 * @param label what the field shows
 * @param describe the text for a node
 * @param choose gets the node that is chosen by a click or Enter
 */
function tileField({ label, describe, choose }) {
  const canvas = el('canvas', {
    class: 'tiles',
    tabindex: '0',
    role: 'slider',
    'aria-label': label,
    'aria-valuemin': '0',
    onkeydown: press,
    onmousemove: (event) => hover(at(event)),
    onmouseleave: () => hover(-1),
    onclick: (event) => {
      const index = at(event);
      if (index >= 0) {
        move(index);
        choose(order[index]);
      }
    },
    onfocus: () => draw(),
    onblur: () => draw(),
  });
  const tip = el('div', { class: 'tip', 'aria-hidden': 'true' });
  const root = el('div', { class: 'tile-field' }, canvas, tip);
  let groups = [];
  let share = () => 0;
  let isCrossed = () => false;
  let isDisrupted = () => false;
  let isDim = () => false;
  let order = [];
  let boxes = new Float64Array(0);
  let size = tileSize(0);
  let marked = -1;
  let hovered = -1;
  let width = 0;
  let drawn = null;
  observeSize(root, (now) => {
    // A view that is not shown has no size, and keeps what is drawn for when it is shown again.
    if (now > 0 && now !== width) {
      layout(now);
      draw();
    }
  });

  function layout(now) {
    width = now;
    drawn = null;
    const perRow = Math.max(1, Math.floor((width + size.gap) / (size.width + size.gap)));
    boxes = new Float64Array(order.length * 2);
    let index = 0;
    let y = 0;
    const hasHeads = groups.length > 1 || (groups[0]?.title ?? '') !== '';
    for (const group of groups) {
      group.y = y;
      y += hasHeads ? GROUP_HEAD : 0;
      group.nodes.forEach((_, i) => {
        boxes[2 * index] = (i % perRow) * (size.width + size.gap);
        boxes[2 * index + 1] = y + Math.floor(i / perRow) * (size.height + size.gap);
        index++;
      });
      y += Math.ceil(group.nodes.length / perRow) * (size.height + size.gap) + GROUP_SPACE;
    }
    const height = Math.max(1, y - GROUP_SPACE);
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }

  // The tiles are drawn once, and what marks one of them over a copy of that.
  function draw() {
    const style = getComputedStyle(document.documentElement);
    if (drawn === null) {
      drawn = document.createElement('canvas');
      drawn.width = canvas.width;
      drawn.height = canvas.height;
      drawTiles(drawn.getContext('2d'), style);
    }
    const ratio = window.devicePixelRatio || 1;
    const context = canvas.getContext('2d');
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(drawn, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (marked >= 0) {
      frame(context, marked, style.getPropertyValue('--accent').trim(), 2);
    }
    if (hovered >= 0 && hovered !== marked) {
      frame(context, hovered, style.getPropertyValue('--text').trim(), 1);
    }
  }

  function drawTiles(context, style) {
    const ratio = window.devicePixelRatio || 1;
    const color = (name) => style.getPropertyValue(name).trim();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    fillTiles(context, ratio, color);
    if (groups.length > 1 || (groups[0]?.title ?? '') !== '') {
      context.font = `600 11px ${color('--font')}`;
      for (const group of groups) {
        context.fillStyle = color('--text');
        context.fillText(group.title, 0, group.y + 12);
        const used = context.measureText(group.title).width;
        context.fillStyle = color('--quiet');
        context.fillText(group.note, used + 8, group.y + 12);
      }
    }
    context.lineJoin = 'round';
    context.font = `600 12px ${color('--font')}`;
    context.textAlign = 'center';
    const text = color('--text');
    const edge = color('--panel');
    for (let index = 0; index < order.length; index++) {
      const node = order[index];
      const x = boxes[2 * index];
      const y = boxes[2 * index + 1];
      context.globalAlpha = isDim(node) ? DIM : 1;
      if (isDisrupted(node)) {
        strike(context, [[x, y, x + size.width, y + size.height], [x, y + size.height, x + size.width, y]], color('--bad'), 2);
      } else if (isCrossed(node)) {
        strike(context, [[x, y + size.height, x + size.width, y]], text, 1);
      }
      if (size.width >= 40) {
        // With an edge, since it may stand half on the fill and half next to it.
        context.lineWidth = 3;
        context.strokeStyle = edge;
        context.strokeText(percent(share(node)), x + size.width / 2, y + size.height / 2 + 4);
        context.fillStyle = text;
        context.fillText(percent(share(node)), x + size.width / 2, y + size.height / 2 + 4);
      }
    }
    context.globalAlpha = 1;
    context.textAlign = 'start';
  }

  // By pixels: for five thousand tiles the script takes about half the time that it takes with rectangles.
  function fillTiles(context, ratio, color) {
    const image = context.createImageData(canvas.width, canvas.height);
    const rowLength = image.width;
    const pixels = new Uint32Array(image.data.buffer);
    const theme = currentTheme();
    const palette = (alpha) => ({
      levels: Array.from({ length: 101 }, (_, hundredth) => pixelOf(scaleColor(hundredth / 100, theme), alpha)),
      empty: pixelOf(hexColor(color('--tile')), alpha),
      line: pixelOf(hexColor(color('--line')), alpha),
      bad: pixelOf(hexColor(color('--bad')), alpha),
    });
    const bright = palette(1);
    const dim = palette(DIM);
    const fillBox = (left, top, right, bottom, value) => {
      const from = Math.round(left * ratio);
      const length = Math.min(rowLength, Math.round(right * ratio)) - from;
      const last = Math.round(bottom * ratio);
      for (let row = Math.round(top * ratio); row < last; row++) {
        const start = row * rowLength + from;
        for (let at = start; at < start + length; at++) {
          pixels[at] = value;
        }
      }
    };
    for (let index = 0; index < order.length; index++) {
      const node = order[index];
      const value = share(node);
      const { levels, empty, line, bad } = isDim(node) ? dim : bright;
      const part = Math.max(0, Math.min(1, value));
      const left = boxes[2 * index];
      const top = boxes[2 * index + 1];
      const right = left + size.width;
      const bottom = top + size.height;
      const level = bottom - Math.round(part * size.height);
      fillBox(left, top, right, level, empty);
      fillBox(left, level, right, bottom, levels[Math.round(part * 100)]);
      if (value > 1.0001) {
        fillBox(left, top, right, top + Math.max(2, size.height / 6), bad);
      }
      if (size.width >= 11) {
        fillBox(left, top, right, top + 1, line);
        fillBox(left, bottom - 1, right, bottom, line);
        fillBox(left, top, left + 1, bottom, line);
        fillBox(right - 1, top, right, bottom, line);
      }
    }
    context.putImageData(image, 0, 0);
  }

  function strike(context, lines, color, thick) {
    context.strokeStyle = color;
    context.lineWidth = thick;
    context.beginPath();
    for (const [x1, y1, x2, y2] of lines) {
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
    }
    context.stroke();
  }

  function frame(context, index, color, thick) {
    context.strokeStyle = color;
    context.lineWidth = thick;
    context.strokeRect(boxes[2 * index] - thick / 2, boxes[2 * index + 1] - thick / 2, size.width + thick, size.height + thick);
  }

  function at(event) {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    for (let index = 0; index < order.length; index++) {
      const left = boxes[2 * index];
      const top = boxes[2 * index + 1];
      if (x >= left && x < left + size.width + size.gap && y >= top && y < top + size.height + size.gap) {
        return index;
      }
    }
    return -1;
  }

  function hover(index) {
    if (index === hovered) {
      return;
    }
    hovered = index;
    showTip(index);
    draw();
  }

  function showTip(index) {
    tip.classList.toggle('shown', index >= 0);
    if (index >= 0) {
      fill(tip, describe(order[index]).split('\n').map((line, i) => el(i === 0 ? 'strong' : 'span', null, line)));
      const left = Math.min(boxes[2 * index], Math.max(0, width - 260));
      tip.style.left = `${left}px`;
      tip.style.top = `${boxes[2 * index + 1] + size.height + 6}px`;
    }
  }

  function press(event) {
    if (order.length === 0 || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const now = marked;
    const moves = { ArrowRight: now + 1, ArrowLeft: now - 1, ArrowDown: below(now, 1), ArrowUp: below(now, -1), Home: 0, End: order.length - 1 };
    if (event.key in moves) {
      event.preventDefault();
      move(Math.max(0, Math.min(order.length - 1, moves[event.key])));
      showTip(marked);
      draw();
    } else if ((event.key === 'Enter' || event.key === ' ') && marked >= 0) {
      event.preventDefault();
      choose(order[marked]);
    } else if (event.key === 'Escape') {
      showTip(-1);
    }
  }

  // The nearest tile of the next row in that direction.
  function below(from, direction) {
    if (from < 0) {
      return 0;
    }
    const x = boxes[2 * from];
    let best = from;
    let row = NaN;
    for (let index = from + direction; index >= 0 && index < order.length; index += direction) {
      const y = boxes[2 * index + 1];
      if (y === boxes[2 * from + 1]) {
        continue;
      }
      if (Number.isNaN(row)) {
        row = y;
        best = index;
      }
      if (y !== row) {
        break;
      }
      if (Math.abs(boxes[2 * index] - x) < Math.abs(boxes[2 * best] - x)) {
        best = index;
      }
    }
    return best;
  }

  function move(index) {
    marked = index;
    canvas.setAttribute('aria-valuenow', index);
    canvas.setAttribute('aria-valuetext', index < 0 ? 'no node' : describe(order[index]).replaceAll('\n', ', '));
  }

  return {
    root,
    /** Shows groups of nodes, {title, note, nodes} each; settings have the look of a node's tile. */
    show(shown, settings) {
      groups = shown;
      order = shown.flatMap((group) => group.nodes);
      share = settings.share;
      isCrossed = settings.isCrossed ?? (() => false);
      isDisrupted = settings.isDisrupted ?? (() => false);
      isDim = settings.isDim ?? (() => false);
      size = tileSize(order.length * (settings.columns ?? 1));
      hovered = -1;
      showTip(-1);
      canvas.setAttribute('aria-valuemax', Math.max(0, order.length - 1));
      move(settings.marked === undefined || settings.marked < 0 ? -1 : order.indexOf(settings.marked));
      if (marked < 0) {
        canvas.setAttribute('aria-valuenow', '0');
      }
      layout(root.clientWidth || 800);
      draw();
    },
    /** Marks the tile of a node; of none if it is -1. */
    mark(node) {
      const index = node < 0 ? -1 : order.indexOf(node);
      if (index !== marked) {
        move(index);
        draw();
      }
    },
  };
}

/** The legend of colours, heights and marks of tiles. */
function tileLegend(by, disruptions) {
  const theme = currentTheme();
  return el(
    'span',
    { class: 'legend' },
    el('strong', null, `${by === FULLEST ? 'The fullest resource' : (by ?? FIRST_FILL)} requested:`),
    '0%',
    [0, 0.25, 0.5, 0.75, 1].map((value) => el('span', { class: 'swatch', css: { 'background-color': `rgb(${scaleColor(value, theme).join(',')})` } })),
    `100% of allocatable; the height of a tile shows the same. Struck through: takes no pods. ${disruptions?.length > 0 ? `Crossed: ${disruptions.join(', ')}.` : ''}`,
  );
}
