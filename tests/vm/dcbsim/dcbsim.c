// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dcbsim: a netdev that drops all packets, and keeps all settings of data center bridging, pause
 * frames and an MTU; no virtual network card of Linux does. It misbehaves on demand, controlled by
 * the files of /sys/module/dcbsim/parameters, which are numbers:
 *   fail_ets, fail_pfc, ...  the errno (positive) that the operation returns
 *   ignore   mask of 1 << OP_x: the operation succeeds, but changes nothing
 *   lacks    mask of 1 << OP_x: the driver lacks the function for the operation, and for OP_DCBX
 *            and OP_TRUST also the one to read the setting
 *   dcbx     what getdcbx returns
 *   full     all of the bandwidth is reported for classes that ETS does not serve, as in mlx5
 *   single   one priority for each DSCP, as in mlx5; set before the first entry
 *   driver   name of the driver that the netdev seems to have; given when it is loaded
 */
#include <linux/dcbnl.h>
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/rtnetlink.h>
#include <linux/version.h>
#include <net/dcbnl.h>

enum { OP_ETS, OP_PFC, OP_RATE, OP_BUFFER, OP_APP, OP_TRUST, OP_DCBX, OP_PAUSE, OPS };

static int fail[OPS], ignore, lacks, single, full;
static char *driver;
static u8 dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE | DCB_CAP_DCBX_VER_CEE;
module_param_named(fail_ets, fail[OP_ETS], int, 0644);
module_param_named(fail_pfc, fail[OP_PFC], int, 0644);
module_param_named(fail_rate, fail[OP_RATE], int, 0644);
module_param_named(fail_buffer, fail[OP_BUFFER], int, 0644);
module_param_named(fail_app, fail[OP_APP], int, 0644);
module_param_named(fail_trust, fail[OP_TRUST], int, 0644);
module_param_named(fail_dcbx, fail[OP_DCBX], int, 0644);
module_param_named(fail_pause, fail[OP_PAUSE], int, 0644);
module_param(ignore, int, 0644);
module_param(single, int, 0644);
module_param(full, int, 0644);
module_param(dcbx, byte, 0644);
module_param(driver, charp, 0444);

static struct ieee_ets ets = {.ets_cap = 8, .prio_tc = {0, 1, 2, 3, 4, 5, 6, 7}};
static struct ieee_pfc pfc = {.pfc_cap = 8, .requests = {0, 0, 0, 7}, .indications = {0, 0, 0, 9}};
static struct ieee_maxrate rates;
static struct dcbnl_buffer buffers = {.buffer_size = {65536, 131072}, .total_size = 262144};
static struct ethtool_pauseparam pause;

/* Ends the operation early, with the errno or with success, if it has to misbehave. */
#define MISBEHAVE(op)                     \
	do {                              \
		if (fail[op])             \
			return -fail[op]; \
		if (ignore & 1 << (op))   \
			return 0;         \
	} while (0)

#define ACCESSORS(name, type, record, op)                               \
	static int get_##name(struct net_device *dev, struct type *ret) \
	{                                                               \
		*ret = record;                                          \
		return 0;                                               \
	}                                                               \
	static int set_##name(struct net_device *dev, struct type *new) \
	{                                                               \
		MISBEHAVE(op);                                          \
		record = *new;                                          \
		return 0;                                               \
	}

ACCESSORS(ets, ieee_ets, ets, OP_ETS)
ACCESSORS(pfc, ieee_pfc, pfc, OP_PFC)
ACCESSORS(rates, ieee_maxrate, rates, OP_RATE)
ACCESSORS(buffers, dcbnl_buffer, buffers, OP_BUFFER)

static int get_shares(struct net_device *dev, struct ieee_ets *ret)
{
	int i;

	get_ets(dev, ret);
	for (i = 0; full && i < IEEE_8021QAZ_MAX_TCS; i++)
		if (ret->tc_tsa[i] != IEEE_8021QAZ_TSA_ETS)
			ret->tc_tx_bw[i] = 100;
	return 0;
}

static int set_app(struct net_device *dev, struct dcb_app *app)
{
	struct dcb_app old = *app;

	MISBEHAVE(OP_APP);
	for (old.priority = 0; single && old.priority < IEEE_8021QAZ_MAX_TCS; old.priority++)
		dcb_ieee_delapp(dev, &old);
	return dcb_ieee_setapp(dev, app);
}

static int delete_app(struct net_device *dev, struct dcb_app *app)
{
	MISBEHAVE(OP_APP);
	return dcb_ieee_delapp(dev, app);
}

static u8 get_dcbx(struct net_device *dev)
{
	return dcbx;
}

/* As in mlx5 and bnxt: 1 is a refusal, and mode 0 selects the firmware. */
static u8 set_dcbx(struct net_device *dev, u8 mode)
{
	if (fail[OP_DCBX] || mode & DCB_CAP_DCBX_LLD_MANAGED)
		return 1;
	if (!(ignore & 1 << OP_DCBX))
		dcbx = mode ? mode : dcbx & ~DCB_CAP_DCBX_HOST;
	return 0;
}

static struct dcbnl_rtnl_ops dcb_ops;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
static u8 trusted[IEEE_8021QAZ_APP_SEL_MAX + 1] = {DCB_APP_SEL_PCP};
static int trust_count = 1;

static int get_trust(struct net_device *dev, u8 *selectors, int *count)
{
	memcpy(selectors, trusted, trust_count);
	*count = trust_count;
	return 0;
}

static int set_trust(struct net_device *dev, u8 *selectors, int count)
{
	MISBEHAVE(OP_TRUST);
	memcpy(trusted, selectors, count);
	trust_count = count;
	return 0;
}

static void fill_trust(void)
{
	dcb_ops.dcbnl_getapptrust = lacks & 1 << OP_TRUST ? NULL : get_trust;
	dcb_ops.dcbnl_setapptrust = lacks & 1 << OP_TRUST ? NULL : set_trust;
}
#else
static void fill_trust(void)
{
}
#endif

static void fill_ops(void)
{
	dcb_ops = (struct dcbnl_rtnl_ops){
		.ieee_getets = get_shares,
		.ieee_setets = lacks & 1 << OP_ETS ? NULL : set_ets,
		.ieee_getpfc = get_pfc,
		.ieee_setpfc = lacks & 1 << OP_PFC ? NULL : set_pfc,
		.ieee_getmaxrate = get_rates,
		.ieee_setmaxrate = lacks & 1 << OP_RATE ? NULL : set_rates,
		.dcbnl_getbuffer = get_buffers,
		.dcbnl_setbuffer = lacks & 1 << OP_BUFFER ? NULL : set_buffers,
		.ieee_setapp = set_app,
		.ieee_delapp = delete_app,
		.getdcbx = lacks & 1 << OP_DCBX ? NULL : get_dcbx,
		.setdcbx = lacks & 1 << OP_DCBX ? NULL : set_dcbx,
	};
	fill_trust();
}

static int set_lacks(const char *text, const struct kernel_param *param)
{
	int rc = param_set_int(text, param);

	rtnl_lock();
	fill_ops();
	rtnl_unlock();
	return rc;
}

static const struct kernel_param_ops lacks_ops = {.set = set_lacks, .get = param_get_int};
module_param_cb(lacks, &lacks_ops, &lacks, 0644);

static void get_pause(struct net_device *dev, struct ethtool_pauseparam *ret)
{
	*ret = pause;
}

static int set_pause(struct net_device *dev, struct ethtool_pauseparam *new)
{
	MISBEHAVE(OP_PAUSE);
	if (new->autoneg)
		return -EINVAL;
	pause = *new;
	return 0;
}

static const struct ethtool_ops link_ops = {
	.get_link = ethtool_op_get_link,
	.get_pauseparam = get_pause,
	.set_pauseparam = set_pause,
};

static netdev_tx_t transmit(struct sk_buff *skb, struct net_device *dev)
{
	dev_kfree_skb(skb);
	return NETDEV_TX_OK;
}

static void set_rx_mode(struct net_device *dev)
{
}

static const struct net_device_ops device_ops = {
	.ndo_start_xmit = transmit,
	.ndo_set_rx_mode = set_rx_mode,
	.ndo_validate_addr = eth_validate_addr,
};

static struct platform_driver parent_driver = {.driver.owner = THIS_MODULE};
static struct platform_device *parent;
static struct net_device *netdev;

static int make_parent(void)
{
	int rc;

	if (!driver)
		return 0;
	parent_driver.driver.name = driver;
	rc = platform_driver_register(&parent_driver);
	if (rc)
		return rc;
	parent = platform_device_register_simple(driver, -1, NULL, 0);
	if (IS_ERR(parent)) {
		platform_driver_unregister(&parent_driver);
		return PTR_ERR(parent);
	}
	SET_NETDEV_DEV(netdev, &parent->dev);
	return 0;
}

static void remove_parent(void)
{
	if (!driver)
		return;
	platform_device_unregister(parent);
	platform_driver_unregister(&parent_driver);
}

static int __init dcbsim_init(void)
{
	static const u8 address[ETH_ALEN] = {0x02, 0, 0, 0, 0xdc, 0xb0};
	int rc = -ENOMEM;

	fill_ops();
	netdev = alloc_etherdev(0);
	if (!netdev)
		return rc;
	strscpy(netdev->name, "dcb%d", sizeof(netdev->name));
	netdev->netdev_ops = &device_ops;
	netdev->ethtool_ops = &link_ops;
	netdev->dcbnl_ops = &dcb_ops;
	netdev->max_mtu = 9500;
	eth_hw_addr_set(netdev, address);
	rc = make_parent();
	if (!rc) {
		rc = register_netdev(netdev);
		if (rc)
			remove_parent();
	}
	if (rc)
		free_netdev(netdev);
	return rc;
}

static void __exit dcbsim_exit(void)
{
	unregister_netdev(netdev);
	free_netdev(netdev);
	remove_parent();
}

module_init(dcbsim_init);
module_exit(dcbsim_exit);
MODULE_DESCRIPTION("a netdev with data center bridging, for tests");
MODULE_LICENSE("Dual BSD/GPL");
