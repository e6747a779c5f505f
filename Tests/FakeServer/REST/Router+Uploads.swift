// SPDX-License-Identifier: MIT

import OppiModel

// MARK: - Files for prompts

extension Router {
  private static let announcementLimit = 64 << 10

  static let uploadRoutes: [Route] = [
    .later("POST", "/workspaces/:ws/sessions/:sid/attachments") { call, router throws(Refusal) in
      guard call.bytes.count <= announcementLimit else {
        throw Refusal(413, "Request body too large")
      }
      let body = try call.body(invalid: 400)
      return (try await router.sessions.announceUpload(body, in: call.sessionPath), 201)
    },
    .later("PUT", "/workspaces/:ws/sessions/:sid/attachments/:upload/content") {
      call,
      router throws(Refusal) in
      let id = call.parameters["upload"] ?? ""
      return (try await router.sessions.receive(call.bytes, for: id, in: call.sessionPath), 200)
    },
  ]
}

extension Call {
  fileprivate var sessionPath: SessionPath {
    SessionPath(workspaceID: workspaceID, sessionID: sessionID)
  }
}
