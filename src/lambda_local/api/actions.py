"""Every action that the Lambda API has, by method and path, so that one that is not here is refused by its name."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import unquote

# Action, method, path, as in the API reference; a test compares them with those that botocore knows.
_ACTIONS = """
AddLayerVersionPermission POST /2018-10-31/layers/{LayerName}/versions/{VersionNumber}/policy
AddPermission POST /2015-03-31/functions/{FunctionName}/policy
CheckpointDurableExecution POST /2025-12-01/durable-executions/{DurableExecutionArn}/checkpoint
CreateAlias POST /2015-03-31/functions/{FunctionName}/aliases
CreateCapacityProvider POST /2025-11-30/capacity-providers
CreateCodeSigningConfig POST /2020-04-22/code-signing-configs
CreateEventSourceMapping POST /2015-03-31/event-source-mappings
CreateFunction POST /2015-03-31/functions
CreateFunctionUrlConfig POST /2021-10-31/functions/{FunctionName}/url
DeleteAlias DELETE /2015-03-31/functions/{FunctionName}/aliases/{Name}
DeleteCapacityProvider DELETE /2025-11-30/capacity-providers/{CapacityProviderName}
DeleteCodeSigningConfig DELETE /2020-04-22/code-signing-configs/{CodeSigningConfigArn}
DeleteDurableExecution DELETE /2025-12-01/durable-executions/{DurableExecutionArn}
DeleteEventSourceMapping DELETE /2015-03-31/event-source-mappings/{UUID}
DeleteFunction DELETE /2015-03-31/functions/{FunctionName}
DeleteFunctionCodeSigningConfig DELETE /2020-06-30/functions/{FunctionName}/code-signing-config
DeleteFunctionConcurrency DELETE /2017-10-31/functions/{FunctionName}/concurrency
DeleteFunctionEventInvokeConfig DELETE /2019-09-25/functions/{FunctionName}/event-invoke-config
DeleteFunctionUrlConfig DELETE /2021-10-31/functions/{FunctionName}/url
DeleteLayerVersion DELETE /2018-10-31/layers/{LayerName}/versions/{VersionNumber}
DeleteProvisionedConcurrencyConfig DELETE /2019-09-30/functions/{FunctionName}/provisioned-concurrency
DeleteResourcePolicy DELETE /2026-07-09/resource-policy/{ResourceArn}
GetAccountSettings GET /2016-08-19/account-settings
GetAlias GET /2015-03-31/functions/{FunctionName}/aliases/{Name}
GetCapacityProvider GET /2025-11-30/capacity-providers/{CapacityProviderName}
GetCodeSigningConfig GET /2020-04-22/code-signing-configs/{CodeSigningConfigArn}
GetDurableExecution GET /2025-12-01/durable-executions/{DurableExecutionArn}
GetDurableExecutionHistory GET /2025-12-01/durable-executions/{DurableExecutionArn}/history
GetDurableExecutionState GET /2025-12-01/durable-executions/{DurableExecutionArn}/state
GetEventSourceMapping GET /2015-03-31/event-source-mappings/{UUID}
GetFunction GET /2015-03-31/functions/{FunctionName}
GetFunctionCodeSigningConfig GET /2020-06-30/functions/{FunctionName}/code-signing-config
GetFunctionConcurrency GET /2019-09-30/functions/{FunctionName}/concurrency
GetFunctionConfiguration GET /2015-03-31/functions/{FunctionName}/configuration
GetFunctionEventInvokeConfig GET /2019-09-25/functions/{FunctionName}/event-invoke-config
GetFunctionRecursionConfig GET /2024-08-31/functions/{FunctionName}/recursion-config
GetFunctionScalingConfig GET /2025-11-30/functions/{FunctionName}/function-scaling-config
GetFunctionUrlConfig GET /2021-10-31/functions/{FunctionName}/url
GetLayerVersion GET /2018-10-31/layers/{LayerName}/versions/{VersionNumber}
GetLayerVersionByArn GET /2018-10-31/layers?find=LayerVersion
GetLayerVersionPolicy GET /2018-10-31/layers/{LayerName}/versions/{VersionNumber}/policy
GetPolicy GET /2015-03-31/functions/{FunctionName}/policy
GetProvisionedConcurrencyConfig GET /2019-09-30/functions/{FunctionName}/provisioned-concurrency
GetResourcePolicy GET /2026-07-09/resource-policy/{ResourceArn}
GetRuntimeManagementConfig GET /2021-07-20/functions/{FunctionName}/runtime-management-config
Invoke POST /2015-03-31/functions/{FunctionName}/invocations
InvokeAsync POST /2014-11-13/functions/{FunctionName}/invoke-async
InvokeWithResponseStream POST /2021-11-15/functions/{FunctionName}/response-streaming-invocations
ListAliases GET /2015-03-31/functions/{FunctionName}/aliases
ListCapacityProviders GET /2025-11-30/capacity-providers
ListCodeSigningConfigs GET /2020-04-22/code-signing-configs
ListDurableExecutionsByFunction GET /2025-12-01/functions/{FunctionName}/durable-executions
ListEventSourceMappings GET /2015-03-31/event-source-mappings
ListFunctionEventInvokeConfigs GET /2019-09-25/functions/{FunctionName}/event-invoke-config/list
ListFunctionUrlConfigs GET /2021-10-31/functions/{FunctionName}/urls
ListFunctionVersionsByCapacityProvider GET /2025-11-30/capacity-providers/{CapacityProviderName}/function-versions
ListFunctions GET /2015-03-31/functions
ListFunctionsByCodeSigningConfig GET /2020-04-22/code-signing-configs/{CodeSigningConfigArn}/functions
ListLayerVersions GET /2018-10-31/layers/{LayerName}/versions
ListLayers GET /2018-10-31/layers
ListProvisionedConcurrencyConfigs GET /2019-09-30/functions/{FunctionName}/provisioned-concurrency?List=ALL
ListTags GET /2017-03-31/tags/{Resource}
ListVersionsByFunction GET /2015-03-31/functions/{FunctionName}/versions
PauseDurableExecution POST /2025-12-01/durable-executions/{DurableExecutionArn}/pause
PublishLayerVersion POST /2018-10-31/layers/{LayerName}/versions
PublishVersion POST /2015-03-31/functions/{FunctionName}/versions
PutFunctionCodeSigningConfig PUT /2020-06-30/functions/{FunctionName}/code-signing-config
PutFunctionConcurrency PUT /2017-10-31/functions/{FunctionName}/concurrency
PutFunctionEventInvokeConfig PUT /2019-09-25/functions/{FunctionName}/event-invoke-config
PutFunctionRecursionConfig PUT /2024-08-31/functions/{FunctionName}/recursion-config
PutFunctionScalingConfig PUT /2025-11-30/functions/{FunctionName}/function-scaling-config
PutProvisionedConcurrencyConfig PUT /2019-09-30/functions/{FunctionName}/provisioned-concurrency
PutResourcePolicy PUT /2026-07-09/resource-policy/{ResourceArn}
PutRuntimeManagementConfig PUT /2021-07-20/functions/{FunctionName}/runtime-management-config
RemoveLayerVersionPermission DELETE /2018-10-31/layers/{LayerName}/versions/{VersionNumber}/policy/{StatementId}
RemovePermission DELETE /2015-03-31/functions/{FunctionName}/policy/{StatementId}
ResumeDurableExecution POST /2025-12-01/durable-executions/{DurableExecutionArn}/resume
SendDurableExecutionCallbackFailure POST /2025-12-01/durable-execution-callbacks/{CallbackId}/fail
SendDurableExecutionCallbackHeartbeat POST /2025-12-01/durable-execution-callbacks/{CallbackId}/heartbeat
SendDurableExecutionCallbackSuccess POST /2025-12-01/durable-execution-callbacks/{CallbackId}/succeed
StopDurableExecution POST /2025-12-01/durable-executions/{DurableExecutionArn}/stop
TagResource POST /2017-03-31/tags/{Resource}
UntagResource DELETE /2017-03-31/tags/{Resource}
UpdateAlias PUT /2015-03-31/functions/{FunctionName}/aliases/{Name}
UpdateCapacityProvider PUT /2025-11-30/capacity-providers/{CapacityProviderName}
UpdateCodeSigningConfig PUT /2020-04-22/code-signing-configs/{CodeSigningConfigArn}
UpdateEventSourceMapping PUT /2015-03-31/event-source-mappings/{UUID}
UpdateFunctionCode PUT /2015-03-31/functions/{FunctionName}/code
UpdateFunctionConfiguration PUT /2015-03-31/functions/{FunctionName}/configuration
UpdateFunctionEventInvokeConfig POST /2019-09-25/functions/{FunctionName}/event-invoke-config
UpdateFunctionUrlConfig PUT /2021-10-31/functions/{FunctionName}/url
"""


def _compiled() -> list[tuple[str, str, re.Pattern[str], str]]:
    """Action, method, pattern of the path, and the query that it asks for; those with a query come first."""
    rows = []
    for line in _ACTIONS.split("\n"):
        if line:
            action, method, target = line.split()
            path, _, query = target.partition("?")
            rows.append(
                (action, method, re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(path)) + "/?"), query)
            )
    return sorted(rows, key=lambda row: not row[3])


_TABLE = _compiled()
_REMEMBERED = 128


@functools.lru_cache(_REMEMBERED)  # who invokes asks for the same again and again
def find(method: str, path: str, query: str) -> tuple[str, Mapping[str, str]] | None:
    """The action that a request asks for, with the parameters of its path; None where there is no such action."""
    for action, its_method, pattern, asks in _TABLE:
        if method == its_method and (match := pattern.fullmatch(path)) and (not asks or asks in query.split("&")):
            return action, MappingProxyType({name: unquote(value) for name, value in match.groupdict().items()})
    return None
