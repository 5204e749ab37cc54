// What Streamlit's own widgets don't do: a plain click on a citation opens its source beside the answer, and what was asked for comes into view.
// With a key held, or where this doesn't run, a citation is a link like any other, to the page Source.
export default function ({ data, setTriggerValue }) {
  const kept = (window.dynagragInView ??= { seen: {}, clicked: null })

  const onClick = (event) => {
    const link = event.target.closest?.('a[href*="source?"]')
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    kept.clicked = { href: link.getAttribute('href'), top: link.getBoundingClientRect().top }
    setTriggerValue('opened', kept.clicked.href)
  }
  document.addEventListener('click', onClick, true)

  // The page is laid out anew when a source opens; the link that was clicked stays where it was.
  const holdClicked = () => {
    const link = kept.clicked && document.querySelector(`a[href="${CSS.escape(kept.clicked.href)}"]`)
    let scroller = link?.parentElement
    while (scroller && !/auto|scroll/.test(getComputedStyle(scroller).overflowY)) scroller = scroller.parentElement
    if (scroller) scroller.scrollTop += link.getBoundingClientRect().top - kept.clicked.top
  }
  const show = (found, inside) => {
    if (!inside) return found.scrollIntoView({ block: 'start', behavior: 'instant' })
    const [outer, inner] = [inside.getBoundingClientRect(), found.getBoundingClientRect()]
    inside.scrollTop += inner.top + Math.min(inner.height, outer.height) / 2 - (outer.top + outer.height / 2)
    holdClicked()
  }
  const timers = []
  const bring = (wanted, tries) => {
    const found = document.querySelector(wanted.selector)
    const inside = wanted.inside && document.querySelector(wanted.inside)
    if (found && (inside || !wanted.inside)) {
      kept.seen[wanted.name] = wanted.token
      // Again a little later: what is drawn after it pushes it away.
      for (const wait of [0, 150, 400]) timers.push(setTimeout(() => found.isConnected && show(found, inside), wait))
    } else if (tries) {
      timers.push(setTimeout(() => bring(wanted, tries - 1), 50))
    }
  }
  for (const wanted of data.in_view) if (kept.seen[wanted.name] !== wanted.token) bring(wanted, 60)

  return () => {
    document.removeEventListener('click', onClick, true)
    timers.forEach(clearTimeout)
  }
}
