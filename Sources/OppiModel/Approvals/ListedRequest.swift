// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// A request that needs a human, as listed by a server, with its origin and its outcome.
package struct ListedRequest: Sendable, Equatable {
  package struct ID: Sendable, Hashable {
    package let serverID: Fingerprint
    package let sessionID: String?
    package let requestID: String

    package init(serverID: Fingerprint, sessionID: String?, requestID: String) {
      (self.serverID, self.sessionID, self.requestID) = (serverID, sessionID, requestID)
    }

    package var session: SessionID? {
      sessionID.map { SessionID(serverID: serverID, sessionID: $0) }
    }
  }

  /// What is known about its decision.
  package enum State: Sendable, Equatable {
    case pending
    /// The user's reply was sent, and its result is not known yet.
    case sending(RequestReply)
    case settled(Settlement)
  }

  /// How a request ended, and when on this machine's clock.
  package struct Settlement: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
      /// This console replied, with the result that the server reported.
      case replied(RequestReply, DecisionOutcome)
      /// The server denied or cancelled it at its deadline.
      case expired
      /// By the server's record; `by` is `user`, `policy` or `timeout`, or another word of the server.
      case recorded(isAllowed: Bool, by: String)
      /// It is no longer listed: someone else decided it, or its turn was stopped.
      case elsewhere
    }

    package var kind: Kind
    package var at: Timestamp

    package init(_ kind: Kind, at: Timestamp) { (self.kind, self.at) = (kind, at) }
  }

  package let id: ID
  package let request: HumanRequest
  /// Its texts and times as listed, on this machine's clock.
  package var approval: PendingApproval
  package var place: RequestOrigin
  /// The workspace of the request, else of its session; `nil` if unknown.
  package var workspaceID: String?
  /// The workspace's name as the server reports it with the session.
  package var workspaceName: String?
  /// The time between the request and its expiry; `nil` if unknown.
  package var timeToDecide: Duration?
  /// Whether a schedule of this machine started its session.
  package var isScheduled = false
  package var state = State.pending
  package let listedAt: Timestamp
  /// When it was first listed here, or the last activity of its session before that if it was in the
  /// first list of its server.
  package var seenAt: Timestamp

  /// `clockOffset` is how far the server's clock is ahead of this machine's.
  package init(
    _ request: HumanRequest,
    of serverID: Fingerprint,
    at place: RequestOrigin,
    clockOffset: Duration = .zero,
    listedAt: Timestamp
  ) {
    id = ID(serverID: serverID, sessionID: request.sessionID, requestID: request.id)
    self.request = request
    approval = PendingApproval(request, clockOffset: clockOffset)
    self.place = place
    workspaceID = request.workspaceID
    (self.listedAt, seenAt) = (listedAt, listedAt)
  }

  /// The server's local name.
  package var server: String { place.server ?? "" }

  /// Whether a list has it first: of equally urgent ones, that which has waited longer.
  package func isBefore(_ other: ListedRequest) -> Bool {
    if seenAt != other.seenAt, approval.isAsUrgent(as: other.approval) {
      return seenAt < other.seenAt
    }
    return approval.isBefore(other.approval, place, other.place)
  }

  /// By id; equal ids by their origins.
  var order: (String, String, String) { (id.requestID, place.order.0, place.order.1) }

  /// Whether both are the same request with the same content.
  package func isSame(_ other: ListedRequest) -> Bool {
    id == other.id && request.isAbout(sameAs: other.request)
  }

  /// Whether it needs a decision at a moment: it is pending and has not expired.
  package func isOpen(at now: Timestamp) -> Bool {
    state == .pending && !approval.hasExpired(at: now)
  }

  /// How it ended, as far as known at a moment; `nil` while it is pending or being decided.
  package func settlement(at now: Timestamp) -> Settlement? {
    if case .settled(let settlement) = state { return settlement }
    guard state == .pending, let end = approval.expiresAt, end <= now else { return nil }
    return Settlement(.expired, at: end)
  }

  /// Whether little of its time is left, or none.
  package func isExpiring(at now: Timestamp) -> Bool {
    guard let left = approval.secondsLeft(at: now) else { return false }
    return ApprovalPolicy.isExpiring(in: .seconds(left), of: timeToDecide)
  }
}

/// The origin of a request, which distinguishes two requests with the same call.
package struct RequestOrigin: Sendable, Equatable {
  /// The server's local name.
  package var server: String?
  package var workspace: String?
  /// The workspace's folder on the server; `nil` if unknown.
  package var folder: String?
  package var goal: String?
  package var sessionID: String?

  /// `studio/webapp, Fix the login (CdJR04ap), ~/code/webapp`, safe to show.
  package var text: String {
    let id = sessionID?.safeLine(limit: 20)
    let goal = goal?.safeLine(limit: 40)
    let session = goal.map { goal in id.map { "\(goal) (\($0))" } ?? goal } ?? id
    let place = [server, workspace].compactMap(\.self).joined(separator: "/").safeLine(limit: 40)
    return [place.isEmpty ? nil : place, session, folder?.safeLine(limit: 40)]
      .compactMap(\.self).joined(separator: ", ")
  }
}

extension PendingApproval {
  /// Whether a list has it first: the highest risk, then the earliest expiry, then by id; equal ids
  /// by their origins, so that they keep their order.
  package func isBefore(
    _ other: PendingApproval,
    _ place: RequestOrigin,
    _ otherPlace: RequestOrigin
  ) -> Bool {
    guard !(self < other) else { return true }
    return !(other < self) && place.order < otherPlace.order
  }
}

extension RequestOrigin {
  var order: (String, String) { (server ?? "", sessionID ?? "") }

  /// The origin with a workspace as last seen among `known`; else `workspaceName` is its name.
  package init(
    server: String?,
    sessionID: String?,
    goal: String?,
    workspaceID: String?,
    workspaceName: String?,
    in known: [Workspace]
  ) {
    let workspace = known.first { $0.id == workspaceID }
    self.init(
      server: server,
      workspace: workspace?.name ?? workspaceName,
      folder: workspace?.folder,
      goal: goal,
      sessionID: sessionID
    )
  }
}

/// The filter of the list of requests.
package enum RequestFilter: Sendable, CaseIterable {
  case all
  case highRisk
  case expiring
  case scheduled

  package var title: String {
    switch self {
    case .all: "All"
    case .highRisk: "High risk"
    case .expiring: "Expiring"
    case .scheduled: "From schedules"
    }
  }

  /// Whether the filter includes a request; those that ended stay with ``all`` only.
  package func includes(_ request: ListedRequest, at now: Timestamp) -> Bool {
    guard self != .all else { return true }
    guard request.settlement(at: now) == nil else { return false }
    return switch self {
    case .all: true
    case .highRisk: request.approval.isHighRisk
    case .expiring: request.isOpen(at: now) && request.isExpiring(at: now)
    case .scheduled: request.isScheduled
    }
  }
}
