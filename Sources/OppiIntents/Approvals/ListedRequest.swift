// SPDX-License-Identifier: MIT

package import OppiModel

/// A request for approval as it was listed at a moment, with where it comes from.
package struct ListedRequest: Sendable {
  package let server: PairedServer
  package let request: PermissionRequest
  package let approval: PendingApproval
  /// The session that asks; `nil` if the server does not say.
  package let session: Session?
  /// Its workspace, as it was seen last.
  package var workspace: Workspace?
  /// How long there was to decide; `nil` if unknown.
  package let patience: Duration?
  /// When it was listed.
  package let now: Timestamp

  package init(
    server: PairedServer,
    request: PermissionRequest,
    approval: PendingApproval,
    session: Session? = nil,
    patience: Duration? = nil,
    now: Timestamp
  ) {
    self.server = server
    self.request = request
    self.approval = approval
    self.session = session
    self.patience = patience
    self.now = now
  }

  /// All pending requests of a server.
  static func all(in overview: ServerOverview, at now: Timestamp) -> [ListedRequest] {
    overview.requests.map { request in
      let session = overview.session(of: request)
      // Nothing happens in a session that waits: its last activity was the request.
      let asked = session?.lastActivity
      return ListedRequest(
        server: overview.server,
        request: request,
        approval: overview.listed(request),
        session: session,
        patience: request.timeoutAt.flatMap { end in
          asked.map { .milliseconds(max(0, end.milliseconds - $0.milliseconds)) }
        },
        now: now
      )
    }
  }

  /// How many seconds are left; `nil` if it never expires.
  package var secondsLeft: Int? { approval.secondsLeft(at: now) }

  /// Whether it expires soon.
  package var isExpiring: Bool {
    guard let secondsLeft else { return false }
    return ApprovalPolicy.isExpiring(in: .seconds(secondsLeft), of: patience)
  }

  /// Where it comes from.
  package var place: RequestPlace {
    RequestPlace(
      server: server.name,
      workspace: workspace?.name ?? session?.workspaceName,
      folder: workspace?.folder,
      goal: session?.goal,
      sessionID: request.sessionID
    )
  }

  /// Whether another one is of the same call.
  package func isSame(_ other: ListedRequest) -> Bool {
    server.id == other.server.id && request.id == other.request.id
      && request.sessionID == other.request.sessionID && request.proposesSame(as: other.request)
  }
}
