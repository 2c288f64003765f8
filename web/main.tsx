import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { type BaseLocationHook, Router } from 'wouter';
import { navigate, usePathname, useSearch } from 'wouter/use-browser-location';
import { forRouter } from './address/decoded.ts';
import { ApiProblem } from './api/problem.ts';
import { PAGE_PATH } from './page-path.ts';
import './styles/tokens.css';
import './styles/base.css';
import './parts/panel/panel.css';
import './parts/verdict/verdict.css';
import './parts/dialog/dialog.css';
import './parts/timeline/timeline.css';
import { Page } from './views/page.tsx';

/** Number of retries to an unreachable server, and the first delay, doubled each time: two seconds in total. */
const [TRIES, TRY_AGAIN_MS] = [3, 300];

/**
 * Queries are repeated when the reader returns to the page. A refusal is not retried automatically; a broken connection is,
 * since one break, from a network change or a restarting proxy, would leave the view out of date until then.
 */
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (tries, error) => error instanceof ApiProblem && error.code === 'away' && tries < TRIES,
      retryDelay: (tries) => TRY_AGAIN_MS * 2 ** tries,
      staleTime: 5000,
    },
  },
});

const useRawPath: BaseLocationHook = () => [forRouter(usePathname()), navigate];
const useRawSearch = (): string => forRouter(useSearch());

const place = document.querySelector('#page');
if (place === null) throw new Error('cannot show the page: index.html has no element for it');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Router base={PAGE_PATH.replace(/\/$/, '')} hook={useRawPath} searchHook={useRawSearch}>
        <Page />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
