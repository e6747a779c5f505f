// SPDX-License-Identifier: MIT

import OppiModel

/// A request that needs a human as listed at a moment, with its session and server.
struct ListedRequest: Sendable {
  let server: PairedServer
  let request: HumanRequest
  let approval: PendingApproval
  /// `nil` if the server does not report it.
  let session: Session?
  /// As last seen in the cache.
  var workspace: Workspace?
  /// The time between the request and its expiry; `nil` if unknown.
  let patience: Duration?
  /// When the request was listed.
  let now: Timestamp

  init(
    server: PairedServer,
    request: HumanRequest,
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

  static func all(in overview: ServerOverview, at now: Timestamp) -> [ListedRequest] {
    overview.requests.map { request in
      let session = overview.session(of: request)
      // A waiting session has no other activity, so its last activity is the request.
      let asked = session?.lastActivity
      return ListedRequest(
        server: overview.server,
        request: request,
        approval: overview.listed(request),
        session: session,
        patience: request.question?.patience
          ?? request.timeoutAt.flatMap { end in
            asked.map { .milliseconds(max(0, end.milliseconds - $0.milliseconds)) }
          },
        now: now
      )
    }
  }

  /// `nil` if the request never expires.
  var secondsLeft: Int? { approval.secondsLeft(at: now) }

  var isExpiring: Bool {
    guard let secondsLeft else { return false }
    return ApprovalPolicy.isExpiring(in: .seconds(secondsLeft), of: patience)
  }

  var place: RequestPlace {
    RequestPlace(
      server: server.name,
      workspace: workspace?.name ?? session?.workspaceName,
      folder: workspace?.folder,
      goal: session?.goal,
      sessionID: request.sessionID
    )
  }

  var id: BoardRequest.ID {
    BoardRequest.ID(serverID: server.id, sessionID: request.sessionID, requestID: request.id)
  }

  /// Whether both are the same request with the same content.
  func isSame(_ other: ListedRequest) -> Bool {
    id == other.id && request.isAbout(sameAs: other.request)
  }
}
