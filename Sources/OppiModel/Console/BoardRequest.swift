// SPDX-License-Identifier: MIT

/// A request on the console: pending, or settled a short time ago.
package struct BoardRequest: Sendable, Equatable {
  package struct ID: Sendable, Hashable {
    package let serverID: Fingerprint
    package let sessionID: String?
    package let requestID: String

    package init(serverID: Fingerprint, sessionID: String?, requestID: String) {
      (self.serverID, self.sessionID, self.requestID) = (serverID, sessionID, requestID)
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
  package var request: HumanRequest
  /// Its texts and times as listed, on this machine's clock.
  package var approval: PendingApproval
  package var place: RequestPlace
  /// The time between the request and its expiry; `nil` if unknown.
  package var patience: Duration?
  /// Whether a schedule of this machine started its session.
  package var isScheduled: Bool
  package var state = State.pending

  package init(
    serverID: Fingerprint,
    request: HumanRequest,
    approval: PendingApproval,
    place: RequestPlace,
    patience: Duration? = nil,
    isScheduled: Bool = false
  ) {
    id = ID(serverID: serverID, sessionID: request.sessionID, requestID: request.id)
    self.request = request
    self.approval = approval
    self.place = place
    self.patience = patience
    self.isScheduled = isScheduled
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

  package func isExpiring(at now: Timestamp) -> Bool {
    guard isOpen(at: now), let left = approval.secondsLeft(at: now) else { return false }
    return ApprovalPolicy.isExpiring(in: .seconds(left), of: patience)
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
  package func includes(_ request: BoardRequest, at now: Timestamp) -> Bool {
    guard self != .all else { return true }
    guard request.settlement(at: now) == nil else { return false }
    return switch self {
    case .all: true
    case .highRisk: request.approval.risk.isHigh
    case .expiring: request.isExpiring(at: now)
    case .scheduled: request.isScheduled
    }
  }
}

/// A session on the console.
package struct BoardSession: Sendable, Equatable {
  package typealias ID = SessionPlace

  package let id: ID
  /// The server's local name, safe to show.
  package var server: String
  package var status: SessionStatus

  package init(serverID: Fingerprint, server: String, status: SessionStatus) {
    id = ID(serverID: serverID, sessionID: status.id)
    (self.server, self.status) = (server, status)
  }

  /// `studio/CdJR04ap`, the name that commands accept also if another server has the same id.
  package var name: String { "\(server)/\(id.sessionID)" }

  package var phase: SessionPhase { status.phase }
}

extension [BoardSession] {
  /// The session of a record, which may lack the server; then only an id of one server is certain.
  package func session(_ id: String, on serverID: Fingerprint?) -> BoardSession? {
    let found = filter { session in
      session.id.sessionID == id && serverID.map { $0 == session.id.serverID } ?? true
    }
    return found.count == 1 ? found[0] : nil
  }
}
