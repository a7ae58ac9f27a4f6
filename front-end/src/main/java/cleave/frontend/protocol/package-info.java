/**
 * The Table protocol, pure and without a cluster: OData ({@code odata}), authentication and authorization ({@code auth}), entity group
 * transactions ({@code batch}), Atom for old clients ({@code atom}) and the XML documents of the service ({@code service}). Routing and stitching are in
 * {@code cleave.frontend.routing}.
 */
package cleave.frontend.protocol;
