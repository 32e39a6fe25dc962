import { render } from 'preact'
import { App } from './app.js'

// Remove the token from the address bar and the tab's history. The browser's own list of visits keeps it.
if (location.search !== '') history.replaceState(null, '', document.baseURI + location.hash)
const place = document.getElementById('page')
if (place) render(<App />, place)
