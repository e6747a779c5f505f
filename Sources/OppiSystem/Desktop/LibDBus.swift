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
  typealias Place = UnsafeMutableRawPointer
  typealias WithError = @convention(c) (Place?) -> Void
  typealias Open = @convention(c) (Text, Place?) -> OpaquePointer?
  typealias Register = @convention(c) (OpaquePointer?, Place?) -> DBusBool
  typealias SetSize = @convention(c) (OpaquePointer?, Int) -> Void
  typealias GetDescriptor =
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<Int32>) -> DBusBool
  typealias Step = @convention(c) (OpaquePointer?, Int32) -> DBusBool
  typealias Send =
    @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutablePointer<UInt32>) -> DBusBool
  typealias Pop = @convention(c) (OpaquePointer?) -> OpaquePointer?
  typealias Ask = @convention(c) (OpaquePointer?) -> DBusBool
  typealias End = @convention(c) (OpaquePointer?) -> Void
  typealias MakeMessage = @convention(c) (Int32) -> OpaquePointer?
  typealias SetText = @convention(c) (OpaquePointer?, Text) -> DBusBool
  typealias SetNumber = @convention(c) (OpaquePointer?, UInt32) -> DBusBool
  typealias GetKind = @convention(c) (OpaquePointer?) -> Int32
  typealias GetText = @convention(c) (OpaquePointer?) -> Text?
  typealias StartReading = @convention(c) (OpaquePointer?, Place) -> DBusBool
  typealias StartWriting = @convention(c) (OpaquePointer?, Place) -> Void
  typealias GetType = @convention(c) (Place) -> Int32
  typealias GetValue = @convention(c) (Place, Place) -> Void
  typealias Advance = @convention(c) (Place) -> DBusBool
  typealias AddValue = @convention(c) (Place, Int32, UnsafeRawPointer) -> DBusBool
  typealias OpenContainer = @convention(c) (Place, Int32, Text?, Place) -> DBusBool
  typealias CloseContainer = @convention(c) (Place, Place) -> DBusBool

  let initError: WithError
  let freeError: WithError

  let open: Open
  let register: Register
  let setSizeLimit: SetSize
  let descriptor: GetDescriptor
  let readAndWrite: Step
  let send: Send
  let pop: Pop
  let hasMessagesToSend: Ask
  let isConnected: Ask
  let close: End
  let freeConnection: End

  let makeMessage: MakeMessage
  let freeMessage: End
  let setDestination: SetText
  let setPath: SetText
  let setInterface: SetText
  let setMember: SetText
  let setErrorName: SetText
  let setReplySerial: SetNumber
  let kind: GetKind
  let serial: Ask
  let replySerial: Ask
  let sender: GetText
  let path: GetText
  let interface: GetText
  let member: GetText
  let errorName: GetText

  let startReading: StartReading
  let argumentType: GetType
  let elementType: GetType
  let getBasic: GetValue
  let advance: Advance
  let enter: GetValue
  let startWriting: StartWriting
  let addBasic: AddValue
  let openContainer: OpenContainer
  let closeContainer: CloseContainer
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
