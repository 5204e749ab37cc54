// Draws what is on the screen once more as SVG, and saves it. A toolbox feature of the drawing (graph_options.py); `echarts` is in scope.
(model, api) => {
  const series = model.getSeriesByIndex(0)
  const places = series.getData()
  const option = structuredClone({ ...series.option, data: undefined, links: undefined, label: undefined, edgeLabel: undefined })
  const items = series.option.data.map((item, i) => {
    const [x, y] = places.getItemLayout(i)
    return { ...item, x, y }
  })
  const words = (p) => p.data.words || ''
  const frame = document.createElement('div')
  const svg = echarts.init(frame, 'streamlit', { renderer: 'svg', width: api.getWidth(), height: api.getHeight() })
  svg.setOption({
    animation: false,
    series: [{
      ...option, layout: 'none', data: items, links: series.option.links ?? series.option.edges,
      label: { ...series.option.label, formatter: words }, edgeLabel: { ...series.option.edgeLabel, formatter: words },
    }],
  })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([svg.renderToSVGString()], { type: 'image/svg+xml' }))
  link.download = (model.getComponent('toolbox').get('feature.mySaveSvg.file') || 'graph') + '.svg'
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10000)
  svg.dispose()
}
