// SPDX-License-Identifier: MIT

import OppiModel

// MARK: - Commands of servers with session sockets

extension Sessions {
  static let laterCommands: [String: Command] = [
    "take_queue": { sessions, request, session, agent in
      let items = agent.queue.items
      agent.queue.removeAll()
      agent.run?.queuedIDs.removeAll()
      sessions.reply(to: request, ["items": .array(items.map(\.json))], about: session)
      sessions.emitQueue(session)
    },
    "remove_queued_message": { sessions, request, session, agent throws(StreamError) in
      guard let id = request.message["itemId"].string else {
        throw .invalid("Invalid payload: expected itemId")
      }
      guard let item = agent.queue.items.first(where: { $0.id == id }) else {
        throw .refused("Queued message not found: \(id)")
      }
      agent.queue.remove(id)
      agent.run?.queuedIDs.remove(id)
      sessions.reply(to: request, ["item": item.json], about: session)
      sessions.emitQueue(session)
    },
    "get_commands": { sessions, request, session, _ in
      sessions.broadcast(request, ["commands": []], of: session)
    },
  ]
}
