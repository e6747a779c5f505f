// SPDX-License-Identifier: MIT

import OppiModel

extension QueuedPrompt {
  func requestTarget(on server: PairedServer) -> AskRequest.Target {
    let session = session.map { id in
      ServerSession(
        server: server,
        id: id,
        workspaceID: target.workspaceID,
        workspaceName: target.workspaceName
      )
    }
    // A launch is looked up by its key, also if its session is known.
    if let session, !isLaunched {
      return target.sessionID == nil ? .emptySession(session) : .session(session)
    }
    let id = target.workspaceID ?? ""
    return .newSession(
      ServerWorkspace(
        server: server,
        workspace: Workspace(id: id, name: target.workspaceName ?? id)
      )
    )
  }
}

extension QueuedPrompt {
  fileprivate var isLaunched: Bool {
    if case .launched = state { true } else { false }
  }
}

extension AskRequest {
  init(_ prompt: QueuedPrompt, to target: Target) {
    var content = prompt.content
    content.title = prompt.sessionTitle
    self.init(content, to: target, clientTurnID: prompt.clientTurnID)
    budget = prompt.budget
    let isTitled = prompt.title == prompt.sessionTitle
    if target.isNewSession, !isTitled { lastingTitle = prompt.title }
  }
}

extension AskRequest.Target {
  var knownSession: ServerSession? {
    switch self {
    case .newSession: nil
    case .emptySession(let session), .session(let session): session
    }
  }
}

extension ServerSession {
  func speaking(_ stream: Dialect.Stream) -> ServerSession {
    var session = self
    session.server.learn(stream)
    return session
  }
}
