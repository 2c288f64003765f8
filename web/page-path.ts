/** Where the page is served: everything else belongs to the API. */
export const PAGE_PATH = '/ui/';
