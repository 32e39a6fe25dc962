import { render } from 'preact'
import { App } from './app.js'

// Remove the token from the address bar and the history.
if (location.search !== '') history.replaceState(null, '', document.baseURI + location.hash)
const place = document.getElementById('page')
if (place) render(<App />, place)
