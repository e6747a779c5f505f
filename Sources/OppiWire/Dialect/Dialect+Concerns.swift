// SPDX-License-Identifier: MIT

// The concerns of a dialect, with the rules of their choices.

extension Dialect {
  /// How requests are authorized.
  package enum Credential: String, Sendable {
    /// A token that is valid until it is revoked.
    case bearer
    /// Access tokens that live for minutes, issued for signatures of a device key.
    case deviceKey

    /// Whether the server lists the devices that are paired with it, and can revoke each.
    package var hasDevices: Bool { self == .deviceKey }
  }

  /// How a session's messages are streamed.
  package enum Stream: String, Sendable {
    /// One socket per session, on servers before 2026-02-22.
    case perSession
    /// One socket `/stream` for all sessions, which a client subscribes to.
    case multiplexed
    /// One socket per session, on servers since May 2026, which are deaf until it is set up.
    case session

    /// Whether a client subscribes to sessions, and gets missed events over the stream.
    ///
    /// Otherwise the socket itself is the subscription, and missed events are fetched over REST.
    package var subscribes: Bool { self == .multiplexed }

    /// Whether messages that are sent before the agent has started are handled after the start.
    ///
    /// Otherwise they are lost without an error.
    package var hearsBeforeStart: Bool { self != .session }

    /// Whether the server reports the messages that are queued behind a turn.
    package var reportsQueue: Bool { self != .perSession }

    /// Whether a pending question is reported again on a new connection.
    package var repeatsQuestions: Bool { self != .perSession }

    /// Whether each start of an agent has a name, which a new connection compares.
    ///
    /// Otherwise only a lower sequence number shows that another agent has been started.
    package var namesAgents: Bool { self == .session }

    /// Whether a prompt says what becomes of it while a turn is running.
    ///
    /// Otherwise the server loses such a prompt, and a message to a running turn is of another
    /// type.
    package var queuesPrompts: Bool { self == .session }

    /// Whether the server answers a repeated prompt without running it, and keeps nothing of a
    /// prompt that it refuses.
    ///
    /// Otherwise a repeated answer may also belong to a prompt that was refused.
    package var recognizesRepeats: Bool { self == .session }

    /// The length of the session ids that servers assign; a shorter one is a prefix.
    ///
    /// Newer servers may still have sessions of older ones, with shorter ids.
    package var sessionIDLength: Int { self == .session ? 36 : 8 }

    /// Whether the code with which the server closes a stream tells the reason.
    package var explainsClosing: Bool { self == .session }

    /// Whether images are uploaded before the prompt that refers to them.
    ///
    /// Otherwise they are a part of the prompt.
    package var uploadsImages: Bool { self == .session }

    /// Whether `/workspaces/:w/sessions/:s/stream` is the path of a session's socket.
    package var needsWorkspace: Bool { self != .multiplexed }
  }

  /// What asks a human before an agent continues.
  package enum Requests: String, Sendable {
    /// The server's own gate, which names the tool, its arguments and the risk; and dialogs.
    case permissions
    /// Dialogs of extensions only: texts and options. Without an extension, tools run unasked.
    case dialogs

    /// Whether the server itself holds tool calls until they are approved.
    ///
    /// Without a gate, tools run without approval unless an extension asks.
    package var hasGate: Bool { self == .permissions }

    /// Whether the server reports that a dialog is no longer pending.
    ///
    /// Otherwise a question is over when the agent continues.
    package var reportsSettledQuestions: Bool { self == .dialogs }

    /// Whether the answers to an `ask` are the values of options, and lists where several are
    /// allowed.
    ///
    /// Otherwise they are texts that the server looks up among the labels.
    package var takesOptionValues: Bool { self == .dialogs }

    /// Whether dialogs are listed and answered over REST.
    package var listsDialogs: Bool { self == .dialogs }
  }

  /// Which routes list sessions.
  package enum Listing: String, Sendable {
    /// `GET /workspaces/:w/sessions` of each workspace.
    case workspaces
    /// `GET /sessions`.
    case sessions
    /// `GET /sessions/recent`, with the number of pending dialogs of each session.
    case recent

    /// The sessions that a flow needs; a list may have others too.
    package enum Scope: Sendable {
      case all
      /// Those with a loaded agent, and those that were active in the last days.
      case recent
      /// Those with a loaded agent.
      case loaded
    }

    /// The path of the list of a server's sessions; `nil` if only its workspaces have lists.
    package func path(of scope: Scope) -> String? {
      switch (self, scope) {
      case (.workspaces, _): nil
      case (.sessions, _): "/sessions"
      // Without a number of days, the server lists all sessions.
      case (.recent, .all): "/sessions/recent"
      case (.recent, .recent): "/sessions/recent?recentDays=7"
      case (.recent, .loaded): "/sessions/recent?recentDays=1"
      }
    }

    /// What a server lists that does not know the path of this list.
    package var earlier: Dialect.Listing? {
      switch self {
      case .recent: .sessions
      case .sessions: .workspaces
      case .workspaces: nil
      }
    }

    /// Whether a list has the number of pending dialogs of each session.
    package var countsDialogs: Bool { self == .recent }

    /// Whether a session that a list shows as loaded may have lost its agent in a crash.
    package var mayListLostAgents: Bool { self == .workspaces }

    // MARK: - One session

    /// The path before all paths of a session's records.
    ///
    /// - Returns: `nil` without the workspace, where the path needs it.
    package func path(ofSession id: String, workspaceID: String?) -> String? {
      if self == .recent { return "/sessions/\(id)" }
      return workspaceID.map { "/workspaces/\($0)/sessions/\(id)" }
    }

    /// The path of a session with its conversation, after the path of the session.
    package var tracePath: String { self == .recent ? "/trace?include=all" : "" }

    /// The path of the whole output of a call.
    ///
    /// - Returns: `nil` without the workspace.
    package func path(ofOutput callID: String, session id: String, workspaceID: String?) -> String?
    {
      workspaceID.map { workspaceID in
        let path = "/workspaces/\(workspaceID)/sessions/\(id)/tool-output/\(callID)"
        return path + (self == .recent ? "?full=true" : "/full")
      }
    }

    /// The path of a session without its conversation; `nil` on servers that have none.
    package func path(ofEntry id: String) -> String? { self == .recent ? "/sessions/\(id)" : nil }
  }

  /// How sessions are created.
  package enum Creation: String, Sendable {
    /// A repeated request creates a second session.
    case plain
    /// A repeated request with the same key leads to the same session.
    case idempotent

    /// The key by which the server recognises a repeated request; `nil` if it does not.
    package func key(for id: String) -> String? { self == .idempotent ? id : nil }
  }

  /// How a client notices changes in all sessions.
  package enum Updates: String, Sendable {
    /// By listing the sessions again and again.
    case polling
    /// By the counter of `GET /stream/events`.
    case counter
    /// By the socket `/app/events/stream`.
    case appEvents

    /// Whether a request tells cheaply if anything has happened in any session.
    package var hasCounter: Bool { self == .counter }
  }
}
