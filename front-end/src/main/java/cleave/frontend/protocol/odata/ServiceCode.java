package cleave.frontend.protocol.odata;

/** The error codes of the protocol that Cleave uses, with their name on the wire, HTTP status and default message. */
public enum ServiceCode {
    ACCOUNT_IS_DISABLED("AccountIsDisabled", 403, "The specified account is disabled."),
    ACCOUNT_REQUIRES_HTTPS("AccountRequiresHttps", 400, "The account being accessed does not support http."),
    ATOM_FORMAT_NOT_SUPPORTED("AtomFormatNotSupported", 415, "Atom format is not supported."),
    AUTHENTICATION_FAILED(
            "AuthenticationFailed",
            403,
            "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly"
                    + " including the signature."),
    AUTHORIZATION_FAILURE("AuthorizationFailure", 403, "This request is not authorized to perform this operation."),
    AUTHORIZATION_PERMISSION_MISMATCH(
            "AuthorizationPermissionMismatch",
            403,
            "This request is not authorized to perform this operation using this permission."),
    AUTHORIZATION_PROTOCOL_MISMATCH(
            "AuthorizationProtocolMismatch",
            403,
            "This request is not authorized to perform this operation using this protocol."),
    AUTHORIZATION_RESOURCE_TYPE_MISMATCH(
            "AuthorizationResourceTypeMismatch",
            403,
            "This request is not authorized to perform this operation using this resource type."),
    AUTHORIZATION_SERVICE_MISMATCH(
            "AuthorizationServiceMismatch",
            403,
            "This request is not authorized to perform this operation using this service."),
    AUTHORIZATION_SOURCE_IP_MISMATCH(
            "AuthorizationSourceIPMismatch",
            403,
            "This request is not authorized to perform this operation using this source IP."),
    COMMANDS_IN_BATCH_ACT_ON_DIFFERENT_PARTITIONS(
            "CommandsInBatchActOnDifferentPartitions",
            400,
            "All commands in a batch must operate on same entity group."),
    CORS_PREFLIGHT_FAILURE("CorsPreflightFailure", 403, "CORS not enabled or no matching rule found for this request."),
    DUPLICATE_KEY_PROPERTY_SPECIFIED(
            "DuplicateKeyPropertySpecified", 400, "A key property is specified more than once."),
    DUPLICATE_PROPERTIES_SPECIFIED("DuplicatePropertiesSpecified", 400, "A property is specified more than one time."),
    ENTITY_ALREADY_EXISTS("EntityAlreadyExists", 409, "The specified entity already exists."),
    ENTITY_TOO_LARGE("EntityTooLarge", 400, "The entity is larger than the maximum allowed size (1MB)."),
    HOST_INFORMATION_NOT_PRESENT(
            "HostInformationNotPresent", 400, "The required host information is not present in the request."),
    INSUFFICIENT_ACCOUNT_PERMISSIONS(
            "InsufficientAccountPermissions",
            403,
            "The account being accessed does not have sufficient permissions to execute this operation."),
    INTERNAL_ERROR("InternalError", 500, "Server encountered an internal error. Please try again after some time."),
    INVALID_AUTHENTICATION_INFO(
            "InvalidAuthenticationInfo",
            400,
            "Authentication information is not given in the correct format. Check the value of Authorization header."),
    INVALID_DUPLICATE_ROW(
            "InvalidDuplicateRow",
            400,
            "The batch request contains multiple changes with same row key. An entity can appear only once in a batch"
                    + " request."),
    INVALID_HEADER_VALUE(
            "InvalidHeaderValue", 400, "The value for one of the HTTP headers is not in the correct format."),
    INVALID_INPUT("InvalidInput", 400, "One of the request inputs is not valid."),
    INVALID_QUERY_PARAMETER_VALUE(
            "InvalidQueryParameterValue",
            400,
            "Value for one of the query parameters specified in the request URI is invalid."),
    INVALID_RESOURCE_NAME("InvalidResourceName", 400, "The specifed resource name contains invalid characters."),
    INVALID_URI("InvalidUri", 400, "The requested URI does not represent any resource on the server."),
    INVALID_XML_DOCUMENT("InvalidXmlDocument", 400, "XML specified is not syntactically valid."),
    INVALID_XML_NODE_VALUE(
            "InvalidXmlNodeValue", 400, "The value for one of the XML nodes is not in the correct format."),
    JSON_VERBOSE_FORMAT_NOT_SUPPORTED("JsonVerboseFormatNotSupported", 415, "JSON Verbose format is not supported."),
    KEY_BASED_AUTHENTICATION_NOT_PERMITTED(
            "KeyBasedAuthenticationNotPermitted",
            403,
            "Key based authentication is not permitted on this storage account."),
    KEY_VALUE_TOO_LARGE("KeyValueTooLarge", 400, "The key property value is larger than the maximum size permitted."),
    MEDIA_TYPE_NOT_SUPPORTED("MediaTypeNotSupported", 415, "None of the provided media types are supported"),
    METHOD_NOT_ALLOWED("MethodNotAllowed", 405, "The requested method is not allowed on the specified resource."),
    MISSING_CONTENT_LENGTH_HEADER("MissingContentLengthHeader", 411, "The Content-Length header was not specified."),
    MISSING_REQUIRED_HEADER(
            "MissingRequiredHeader", 400, "An HTTP header that's mandatory for this request is not specified."),
    NOT_IMPLEMENTED("NotImplemented", 501, "The requested operation is not implemented on the specified resource."),
    OPERATION_TIMED_OUT("OperationTimedOut", 500, "The operation could not be completed within the specified time."),
    OUT_OF_RANGE_INPUT("OutOfRangeInput", 400, "One of the request inputs is out of range."),
    OUT_OF_RANGE_QUERY_PARAMETER_VALUE(
            "OutOfRangeQueryParameterValue",
            400,
            "One of the query parameters specified in the request URI is outside the permissible range."),
    PRIMARY_KEY_PROPERTY_IS_INVALID_TYPE(
            "PrimaryKeyPropertyIsInvalidType",
            400,
            "The key property is not of the correct type. PartitionKey and RowKey are strings."),
    PROPERTIES_NEED_VALUE("PropertiesNeedValue", 400, "The values are not specified for all properties in the entity."),
    PROPERTY_NAME_INVALID("PropertyNameInvalid", 400, "The property name is invalid."),
    PROPERTY_NAME_TOO_LONG("PropertyNameTooLong", 400, "The property name exceeds the maximum allowed length (255)."),
    PROPERTY_VALUE_TOO_LARGE(
            "PropertyValueTooLarge",
            400,
            "The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16"
                    + " encoded and the maximum number of characters should be 32K or less."),
    REQUEST_BODY_TOO_LARGE(
            "RequestBodyTooLarge", 413, "The request body is too large and exceeds the maximum permissible limit."),
    RESOURCE_NOT_FOUND("ResourceNotFound", 404, "The specified resource does not exist."),
    SERVER_BUSY("ServerBusy", 503, "The server is currently unable to receive requests. Please retry your request."),
    TABLE_ALREADY_EXISTS("TableAlreadyExists", 409, "The table specified already exists."),
    TABLE_BEING_DELETED("TableBeingDeleted", 409, "The specified table is being deleted. Try operation later."),
    TABLE_NOT_FOUND("TableNotFound", 404, "The table specified does not exist."),
    TOO_MANY_PROPERTIES(
            "TooManyProperties",
            400,
            "The entity contains more properties than allowed. Each entity can include up to 252 properties to store data."
                    + " Each entity also has 3 system properties."),
    UPDATE_CONDITION_NOT_SATISFIED(
            "UpdateConditionNotSatisfied", 412, "The update condition specified in the request was not satisfied."),
    X_METHOD_INCORRECT_COUNT("XMethodIncorrectCount", 400, "More than one X-HTTP-Method is specified."),
    X_METHOD_INCORRECT_VALUE("XMethodIncorrectValue", 400, "The specified X-HTTP-Method is invalid."),
    X_METHOD_NOT_USING_POST(
            "XMethodNotUsingPost", 400, "The request uses X-HTTP-Method with an HTTP verb other than POST.");

    private final String wireName;
    private final int status;
    private final String text;

    ServiceCode(String wireName, int status, String text) {
        this.wireName = wireName;
        this.status = status;
        this.text = text;
    }

    /** The name in error bodies. */
    public String wireName() {
        return wireName;
    }

    /** The HTTP status; an error may carry another one, see {@link ServiceError#status()}. */
    public int status() {
        return status;
    }

    /** The default message. */
    public String text() {
        return text;
    }
}
