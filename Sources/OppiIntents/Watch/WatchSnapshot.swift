// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// Keeps the file from which `oppi status` and other programs read.
struct WatchSnapshot {
  /// Written at least this often: readers ignore an old snapshot.
  private static let heartbeat = FleetStatus.writtenEvery - WatchRoom.tick

  private var storedAt: EventLoop.Instant?
  private var stored: [ServerStatus] = []
  /// Why the last write failed; each cause is reported once.
  private var trouble: FileError?

  /// Writes the snapshot where it has changed, and from time to time.
  mutating func keep(_ fleet: inout FleetStatus, in context: IntentContext) async {
    let now = context.loop.now
    let isDue = storedAt.map { now >= $0 + Self.heartbeat } ?? true
    let present = fleet.servers.map(\.forSnapshot)
    guard isDue || present != stored else { return }
    fleet.at = context.now()
    do throws(FileError) {
      try context.statusFile.store(FleetStatus(at: fleet.at, servers: present))
      trouble = nil
    } catch {
      if error != trouble {
        await context.reporter.warn(context.reporter.reason(of: error).message)
      }
      trouble = error
    }
    (stored, storedAt) = (present, now)
  }
}
