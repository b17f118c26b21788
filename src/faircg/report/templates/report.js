"use strict";
(function () {
  const root = document.documentElement;
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("report-data").textContent);
  const status = byId("status");
  const table = byId("people-table");
  root.classList.add("js");

  function show(point) {
    for (const element of all("article.point, .glance, table.points tr[data-point]")) {
      element.classList.toggle("current", element.dataset.point === point);
    }
    for (const link of all("a.mark-link, table.points a.pick")) {
      if (link.dataset.point === point) {
        link.setAttribute("aria-current", "true");
      } else {
        link.removeAttribute("aria-current");
      }
    }
    decide(Number(point));
    if (status) {
      const link = document.querySelector('a.mark-link[data-point="' + Number(point) + '"]');
      status.textContent = "Showing " + link.getAttribute("aria-label");
    }
    try {
      history.replaceState(null, "", "#point-" + point);
    } catch (error) {
      // Some viewers forbid it; the page works all the same.
    }
  }

  // Decisions and reasons of another point, row by row.
  function decide(point) {
    if (!table || !data.decisions.length) {
      return;
    }
    const rows = table.tBodies[0].rows;
    data.decisions[point].forEach(function (decision, position) {
      const row = rows[position];
      const positive = decision[0] === 1;
      row.dataset.decision = String(decision[0]);
      row.querySelector(".decision").textContent =
        positive ? table.dataset.positive : table.dataset.negative;
      row.querySelector(".right").textContent =
        row.dataset.truth === row.dataset.decision ? "right" : "wrong";
      row.querySelector(".reason").textContent = data.reasons[decision[1]];
    });
    const note = byId("people-point");
    if (note) {
      note.textContent = "point " + (point + 1) +
        (point === data.chosen ? ", the chosen one" : ", which was not chosen");
    }
    filter();
  }

  function filter() {
    if (!table) {
      return;
    }
    const wanted = byId("filter-text").value.trim().toLowerCase();
    const group = byId("filter-group").value;
    const decision = byId("filter-decision").value;
    const right = byId("filter-right").value;
    // "row 26" or "#26" asks for one row; a bare number may be any value.
    const number = /^(?:row|#)\s*(\d+)$/.exec(wanted);
    let shown = 0;
    const rows = Array.from(table.tBodies[0].rows);
    for (const row of rows) {
      const isRight = row.dataset.truth === row.dataset.decision ? "1" : "0";
      const text = row.textContent.toLowerCase();
      const keep =
        (!group || row.dataset.group === group) &&
        (!decision || row.dataset.decision === decision) &&
        (!right || isRight === right) &&
        (number ? row.cells[0].textContent.trim() === number[1] : text.includes(wanted));
      row.hidden = !keep;
      shown += keep ? 1 : 0;
    }
    const total = counted(rows.length);
    byId("filter-count").textContent = shown === rows.length ? total :
      "Filtered: " + shown.toLocaleString("en") + " of " + total + " (" + asked() + ")";
  }

  function counted(rows) {
    return rows.toLocaleString("en") + (rows === 1 ? " row" : " rows");
  }

  // What the filters ask for, in words: paper shows no controls.
  function asked() {
    const found = [];
    const text = byId("filter-text").value.trim();
    if (text) {
      found.push("with “" + text + "”");
    }
    const fields = { group: "group ", decision: "decision ", right: "decision is " };
    for (const name of Object.keys(fields)) {
      const field = byId("filter-" + name);
      if (field.value) {
        found.push(fields[name] + field.selectedOptions[0].textContent);
      }
    }
    return found.join("; ");
  }

  // Links to points show them in place; the marks also answer to the arrow keys.
  document.addEventListener("click", function (event) {
    const link = event.target.closest("a.pick");
    if (link) {
      event.preventDefault();
      show(link.dataset.point);
      if (link.closest(".notice")) {
        byId("point-" + link.dataset.point).focus();
      }
    }
  });

  document.addEventListener("keydown", function (event) {
    const link = event.target.closest ? event.target.closest("a.mark-link") : null;
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
    if (!link) {
      return;
    }
    if (event.key === " ") {
      event.preventDefault();
      show(link.dataset.point);
    } else if (steps[event.key] || event.key === "Home" || event.key === "End") {
      event.preventDefault();
      const marks = Array.from(link.closest("svg").querySelectorAll("a.mark-link"));
      const last = marks.length - 1;
      const place = { Home: 0, End: last }[event.key];
      const next = place ?? Math.min(last, Math.max(0, marks.indexOf(link) + steps[event.key]));
      marks[next].focus();
      show(marks[next].dataset.point);
    }
  });

  for (const radio of all("#measure input")) {
    radio.addEventListener("change", function () {
      for (const plot of all("figure.plot")) {
        plot.classList.toggle("current", plot.dataset.plot === radio.value);
      }
    });
  }

  if (table) {
    byId("filters").addEventListener("input", filter);
    byId("filters").addEventListener("change", filter);
    byId("filters").addEventListener("submit", (event) => event.preventDefault());
  }

  // Tables that are wider than their box say so.
  const boxes = new ResizeObserver(() => requestAnimationFrame(function () {
    for (const box of all(".scroll")) {
      box.classList.toggle("scrolls", box.scrollWidth > box.clientWidth + 1);
    }
  }));
  all(".scroll, .scroll > table").forEach((element) => boxes.observe(element));

  // Paper cannot be unfolded.
  let folded = [];
  window.addEventListener("beforeprint", function () {
    folded = all("details:not([open])");
    folded.forEach((element) => { element.open = true; });
  });
  window.addEventListener("afterprint", function () {
    folded.forEach((element) => { element.open = false; });
  });

  function follow() {
    const wanted = /^#point-(\d+)$/.exec(location.hash);
    if (wanted && byId("point-" + wanted[1])) {
      show(wanted[1]);
    }
  }
  window.addEventListener("hashchange", follow);
  follow();
})();
