import { render } from 'preact'
import { App } from './app.js'

// The address that was opened has the token in it: it is not left in the bar, nor in the history.
if (location.search !== '') history.replaceState(null, '', document.baseURI + location.hash)
const place = document.getElementById('page')
if (place) render(<App />, place)
