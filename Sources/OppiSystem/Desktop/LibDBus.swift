// SPDX-License-Identifier: MIT

import EventLoop

/// The functions of libdbus, loaded from the system's libdbus-1 when the session bus is first
/// needed.
///
/// Signatures and constants follow the reference manual of the D-Bus C library, whose interface is
/// stable since 1.0. The library aborts the process if it gets invalid UTF-8 or an invalid name:
/// texts come from `String`, names from constants of this program.
struct LibDBus: Sendable {
  typealias DBusBool = UInt32
  typealias Text = UnsafePointer<CChar>
  typealias Memory = UnsafeMutableRawPointer
  typealias WithError = @convention(c) (Memory?) -> Void
  typealias Ask = @convention(c) (OpaquePointer?) -> DBusBool
  typealias End = @convention(c) (OpaquePointer?) -> Void
  typealias SetText = @convention(c) (OpaquePointer?, Text) -> DBusBool
  typealias GetText = @convention(c) (OpaquePointer?) -> Text?
  typealias GetType = @convention(c) (Memory) -> Int32
  typealias GetValue = @convention(c) (Memory, Memory) -> Void

  let initError: WithError
  let freeError: WithError

  let open: @convention(c) (Text, Memory?) -> OpaquePointer?
  let register: @convention(c) (OpaquePointer?, Memory?) -> DBusBool
  let setSizeLimit: @convention(c) (OpaquePointer?, Int) -> Void
  let descriptor: @convention(c) (OpaquePointer?, UnsafeMutablePointer<Int32>) -> DBusBool
  let readAndWrite: @convention(c) (OpaquePointer?, Int32) -> DBusBool
  let send:
    @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutablePointer<UInt32>) -> DBusBool
  let pop: @convention(c) (OpaquePointer?) -> OpaquePointer?
  let hasMessagesToSend: Ask
  let isConnected: Ask
  let close: End
  let freeConnection: End

  let makeMessage: @convention(c) (Int32) -> OpaquePointer?
  let freeMessage: End
  let setDestination: SetText
  let setPath: SetText
  let setInterface: SetText
  let setMember: SetText
  let setErrorName: SetText
  let setReplySerial: @convention(c) (OpaquePointer?, UInt32) -> DBusBool
  let kind: @convention(c) (OpaquePointer?) -> Int32
  let serial: Ask
  let replySerial: Ask
  let sender: GetText
  let path: GetText
  let interface: GetText
  let member: GetText
  let errorName: GetText

  let startReading: @convention(c) (OpaquePointer?, Memory) -> DBusBool
  let argumentType: GetType
  let elementType: GetType
  let getBasic: GetValue
  let advance: @convention(c) (Memory) -> DBusBool
  let enter: GetValue
  let startWriting: @convention(c) (OpaquePointer?, Memory) -> Void
  let addBasic: @convention(c) (Memory, Int32, UnsafeRawPointer) -> DBusBool
  let openContainer: @convention(c) (Memory, Int32, Text?, Memory) -> DBusBool
  let closeContainer: @convention(c) (Memory, Memory) -> DBusBool
}

extension LibDBus {
  static let names = ["libdbus-1.so.3"]

  init(named names: [String] = names) throws(DesktopError) {
    do throws(SharedLibrary.Failure) {
      self = try Self.table(in: SharedLibrary(named: names))
    } catch {
      throw .noLibrary(error)
    }
  }

  private static func table(in library: SharedLibrary) throws(SharedLibrary.Failure) -> LibDBus {
    LibDBus(
      initError: try library.find("dbus_error_init"),
      freeError: try library.find("dbus_error_free"),
      open: try library.find("dbus_connection_open_private"),
      register: try library.find("dbus_bus_register"),
      setSizeLimit: try library.find("dbus_connection_set_max_message_size"),
      descriptor: try library.find("dbus_connection_get_unix_fd"),
      readAndWrite: try library.find("dbus_connection_read_write"),
      send: try library.find("dbus_connection_send"),
      pop: try library.find("dbus_connection_pop_message"),
      hasMessagesToSend: try library.find("dbus_connection_has_messages_to_send"),
      isConnected: try library.find("dbus_connection_get_is_connected"),
      close: try library.find("dbus_connection_close"),
      freeConnection: try library.find("dbus_connection_unref"),
      makeMessage: try library.find("dbus_message_new"),
      freeMessage: try library.find("dbus_message_unref"),
      setDestination: try library.find("dbus_message_set_destination"),
      setPath: try library.find("dbus_message_set_path"),
      setInterface: try library.find("dbus_message_set_interface"),
      setMember: try library.find("dbus_message_set_member"),
      setErrorName: try library.find("dbus_message_set_error_name"),
      setReplySerial: try library.find("dbus_message_set_reply_serial"),
      kind: try library.find("dbus_message_get_type"),
      serial: try library.find("dbus_message_get_serial"),
      replySerial: try library.find("dbus_message_get_reply_serial"),
      sender: try library.find("dbus_message_get_sender"),
      path: try library.find("dbus_message_get_path"),
      interface: try library.find("dbus_message_get_interface"),
      member: try library.find("dbus_message_get_member"),
      errorName: try library.find("dbus_message_get_error_name"),
      startReading: try library.find("dbus_message_iter_init"),
      argumentType: try library.find("dbus_message_iter_get_arg_type"),
      elementType: try library.find("dbus_message_iter_get_element_type"),
      getBasic: try library.find("dbus_message_iter_get_basic"),
      advance: try library.find("dbus_message_iter_next"),
      enter: try library.find("dbus_message_iter_recurse"),
      startWriting: try library.find("dbus_message_iter_init_append"),
      addBasic: try library.find("dbus_message_iter_append_basic"),
      openContainer: try library.find("dbus_message_iter_open_container"),
      closeContainer: try library.find("dbus_message_iter_close_container")
    )
  }
}
