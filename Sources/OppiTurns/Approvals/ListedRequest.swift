// SPDX-License-Identifier: MIT

package import CommandTable
package import OppiClient
package import OppiModel
import OppiTerminal
package import OppiText
package import OppiWire

extension ServerOverview {
  /// The pending requests as listed at a moment; `workspaces` are the server's as last seen.
  package func listedRequests(
    in workspaces: [Workspace] = [],
    at now: Timestamp
  ) -> [ListedRequest] {
    requests.map { request in
      let session = sessions.first { $0.id == request.sessionID }
      let workspaceID = request.workspaceID ?? session?.workspaceID
      let place = RequestOrigin(
        server: server.name,
        sessionID: request.sessionID,
        goal: session?.goal,
        workspaceID: workspaceID,
        workspaceName: session?.workspaceName,
        in: workspaces
      )
      var listed = ListedRequest(
        request,
        of: server.id,
        at: place,
        clockOffset: clockOffset,
        listedAt: now
      )
      (listed.workspaceID, listed.workspaceName) = (workspaceID, session?.workspaceName)
      // A waiting session has no other activity, so its last activity is the request.
      let asked = session?.lastActivity
      listed.timeToDecide =
        request.question?.timeToDecide
        ?? request.timeoutAt.flatMap { end in
          asked.map { .milliseconds(max(0, end.milliseconds - $0.milliseconds)) }
        }
      return listed
    }
  }
}

/// A request that needs a human as a row of text or JSON.
extension ListedRequest {
  /// As of the listing; `nil` if the request never expires.
  private var secondsLeft: Int? { approval.secondsLeft(at: listedAt) }

  /// Whether it was about to expire when it was listed.
  var isExpiring: Bool { isExpiring(at: listedAt) }

  package var timeLeft: String {
    secondsLeft.map { "\(ElapsedTime.text(.seconds(max(1, $0)))) left" } ?? "no time limit"
  }

  /// The risk, or what the request needs.
  var riskText: StyledText {
    StyledText(approval.mark.word, approval.mark.style)
  }

  // MARK: - JSON

  package static let shape: JSONShape<ListedRequest> = [
    .text("id", "The request's id") { $0.approval.id },
    .text("kind", "permission for a tool call; else ask, select, confirm, input or editor") {
      $0.request.kind.word
    },
    .member("tool", "The tool to be called, or null for a dialog") {
      $0.request.permission == nil ? .null : .string($0.approval.tool)
    },
    .text("needs", "approval if it is approved or denied; else answer") {
      $0.approval.needs.rawValue
    },
    .text(
      "risk",
      "The estimated risk: read, write, exfiltration, destructive or high; null if it is unknown"
    ) { $0.approval.risk?.word },
    .text("summary", "A summary of the call or the text, on one line, truncated if long") {
      $0.approval.summary
    },
    .member("input", "The full input of the call, or null for a dialog") {
      $0.request.permission?.input ?? .null
    },
    .bool("isWhole", "Whether it is complete; otherwise it can only be denied") {
      $0.request.isWhole
    },
    .optionalText("title", "The title of a dialog, if it has one") { $0.request.question?.title },
    .optionalText("message", "The message of a dialog, if it has one") {
      $0.request.question?.message
    },
    .member("options", "The texts of the choices of a select") {
      guard let question = $0.request.question, question.kind == .select else { return nil }
      return .array(question.options.map { .string($0.value) })
    },
    .list("questions", "The questions of an ask", UserQuestion.Part.shape) {
      $0.request.question?.parts ?? []
    },
    .optionalText("extension", "The extension that asks, if known") {
      $0.request.question?.extensionName
    },
    .text("reason", "The reason for the request, or null") { $0.approval.reason },
    .member("allowedUnanswered", "true if the server allows it when it expires; else absent") {
      $0.request.allowanceNote == nil ? nil : true
    },
    .text("sessionId", "The session of the request, or null") { $0.request.sessionID },
    .text("goal", "The goal of that session, or null") { $0.place.goal },
    .workspace {
      WorkspaceLabel(serverID: $0.id.serverID, id: $0.workspaceID, name: $0.workspaceName)
    },
    .server(id: { $0.id.serverID }, name: { $0.server }),
    .text("expiresAt", "When it expires, which denies it unless allowedUnanswered, or null") {
      $0.approval.expiresAt?.iso8601
    },
    .number("secondsLeft", "The seconds left, or null") { $0.secondsLeft },
  ]
}

extension UserQuestion.Part {
  static let shape: JSONShape<UserQuestion.Part> = [
    .text("id", "Its id") { $0.id },
    .text("question", "Its text") { $0.text },
    .list("options", "Its choices", UserQuestion.Option.shape) { $0.options },
    .bool("multiSelect", "Whether several choices are allowed") { $0.takesSeveral },
  ]
}

extension UserQuestion.Option {
  fileprivate static let shape: JSONShape<UserQuestion.Option> = [
    .text("value", "The value that is sent") { $0.value },
    .text("label", "The text that is shown") { $0.label },
    .optionalText("description", "An explanation, if any") { $0.note },
  ]
}

/// The id of a request, or a prefix of it, after `SERVER/` if several servers may have it.
package struct RequestName: ArgumentValue, Equatable {
  package static let placeholder = "ID"
  package static let isIdentifier = true
  /// Shorter prefixes may soon match another request.
  static let leastLength = 4

  var text: String

  package init(argument: String) throws(ArgumentValueError) {
    let name = PlacedID(argument)
    guard name.server != "", WireID.isValid(name.id), name.id.count >= Self.leastLength else {
      throw ArgumentValueError("expects a request id, or at least its first 4 characters")
    }
    text = argument
  }
}

extension Argument {
  static func requests(
    required: Bool = true,
    _ field: @autoclosure @escaping Field<Options, [RequestName]>
  ) -> Self {
    let words = Completion.names(of: .approval)
    return .positional("id", required: required, completion: words, field(), "A request id")
  }
}
